//! The words that invented artists and listeners are named with.

/// A kind of music and what its artists' names are made of. Any first word goes with any second.
pub(super) struct Genre {
    pub(super) name: &'static str,
    pub(super) first: [&'static str; 16],
    pub(super) second: [&'static str; 16],
    /// `{a}` is the first word, `{b}` the second. Dealt in turn; a form that is listed twice is twice as common.
    pub(super) forms: &'static [&'static str],
}

/// From the best loved to the least.
#[rustfmt::skip]
pub(super) const GENRES: [Genre; 12] = [
    Genre {
        name: "indie rock",
        first: [
            "Paper", "Corduroy", "Borrowed", "Tangerine", "Suburban", "Crooked", "Polite", "Sunday",
            "Plastic", "Wooden", "Sleepless", "Mustard", "Parking Lot", "Second-Hand", "Nervous", "Cardboard",
        ],
        second: [
            "Lampshades", "Bicycles", "Weekend", "Postcards", "Umbrellas", "Astronauts", "Cousins", "Balconies",
            "Sweaters", "Orchard", "Telescopes", "Raincoats Club", "Librarians", "Ladders", "Holiday", "Antennas",
        ],
        forms: &["{a} {b}", "The {a} {b}"],
    },
    Genre {
        name: "synth pop",
        first: [
            "Neon", "Pixel", "Chrome", "Laser", "Tinsel", "Satin", "Mirror", "Vector",
            "Digital", "Lipstick", "Polaroid", "Hologram", "Candy", "Midnight", "Turbo", "Cassette",
        ],
        second: [
            "Arcadia", "Boulevard", "Flamingo", "Heartline", "Avenue", "Mirage", "Romance Dept.", "Skyline",
            "Telephone", "Carousel", "Escalator", "Paradise FM", "Valentine", "Swimmers", "Cinema", "Modem",
        ],
        forms: &["{a} {b}"],
    },
    Genre {
        name: "hip hop",
        first: [
            "Marble", "Concrete", "Kid", "Uncle", "Professor", "Golden", "Corner", "Cousin",
            "Subway", "Mister", "Captain", "Silk", "Big", "Lucky", "Northside", "Quiet",
        ],
        second: [
            "Ledger", "Almanac", "Verse", "Stoop", "Chapter", "Cadence", "Marmalade", "Typewriter",
            "Receipts", "Kilowatt", "Domino", "Proverb", "Tempo", "Alibi", "Footnote", "Sermon",
        ],
        forms: &["{a} {b}", "{a} {b}", "MC {a} {b}"],
    },
    Genre {
        name: "dream pop",
        first: [
            "Velvet", "Pearl", "Lavender", "Linen", "Hazy", "Coral", "Moonlit", "Opal",
            "Gauze", "Sugar", "Powder", "Lilac", "Drowsy", "Honey", "Vapor", "Feather",
        ],
        second: [
            "Harbour", "Aquarium", "Pavilion", "Tides", "Lagoon", "Parasol", "Slumber", "Veranda",
            "Lullaby", "Meadows", "Chandelier", "Petticoat", "Swans Ballet", "Afterglow", "Seaside", "Reverie Club",
        ],
        forms: &["{a} {b}"],
    },
    Genre {
        name: "folk",
        first: [
            "Juniper", "Hollow", "Barley", "Copper", "Thistle", "Old Mill", "Wren", "Maple",
            "Hazel", "Lantern", "Rowan", "Salt", "Willow", "Harvest", "Bramble", "Pinewood",
        ],
        second: [
            "& the Ferrymen", "Gully Band", "Family Quilt", "Fiddlers", "Almanack", "Creek Choir", "Homestead",
            "& Daughters", "Letters", "Crossing", "Kettle Band", "Shepherds", "& Sparrow", "Wagon", "Hearth",
            "Footpath",
        ],
        forms: &["{a} {b}"],
    },
    Genre {
        name: "techno",
        first: [
            "Papaya", "Sector", "Signal", "Rotor", "Tunnel", "Voltage", "Carbon", "Axis",
            "Granite", "Relay", "Hydra", "Quartz", "Module", "Kobalt", "Strobe", "Piston",
        ],
        second: [
            "Static", "Unit 9", "Function", "Warehouse", "Sequence", "Grid", "Protocol", "Drift",
            "Interval", "Loop", "Theorem", "Terminal", "Engine 4", "Feedback", "Array", "Shift",
        ],
        forms: &["{a} {b}", "DJ {a} {b}", "{a} {b}"],
    },
    Genre {
        name: "soul",
        first: [
            "Ruby", "Clementine", "Delphine", "Otto", "Augusta", "Percy", "Lorraine", "Sister",
            "Cornelius", "Odessa", "Mabel", "Brother", "Roscoe", "Vernice", "Josephine", "Leroy",
        ],
        second: [
            "Tenderly", "Goodwater", "Sweetgrass", "& the Embers", "Lovejoy Revue", "Honeycutt", "& the Slow Burn",
            "Applewood", "Velour", "& the Sunday Best", "Merriweather", "Peachtree", "& the Warm Hands",
            "Nightingale Six", "Bellflower", "Butterworth",
        ],
        forms: &["{a} {b}"],
    },
    Genre {
        name: "metal",
        first: [
            "Cinder", "Obsidian", "Wolfram", "Gravel", "Basalt", "Raven", "Frost", "Ashen",
            "Thorn", "Molten", "Barrow", "Grim", "Tallow", "Vulture", "Hex", "Pyre",
        ],
        second: [
            "Choir", "Bastion", "Reliquary", "Monolith", "Warden", "Gallows Hymn", "Citadel", "Foundry",
            "Leviathan Cult", "Sepulchre", "Oathbreakers", "Furnace", "Anvil Order", "Dominion", "Ossuary", "Colossus",
        ],
        forms: &["{a} {b}"],
    },
    Genre {
        name: "jazz",
        first: [
            "Blue Door", "Walnut", "Eleventh Street", "Saffron", "Basement", "Lamplight", "Tobias Finch",
            "Marguerite Oyelaran", "Cobblestone", "Nils Aldergren", "Teodora Vance", "Late Ferry", "Mahogany",
            "Ines Calloway", "Quarter Past", "Indigo Stairs",
        ],
        second: [
            "Trio", "Quartet", "Quintet", "Octet", "Sextet", "Ensemble", "Orchestra", "Sessions",
            "Collective", "Big Band", "Society", "Conversations", "Workshop", "Nonet", "Standards", "Sidemen",
        ],
        forms: &["{a} {b}", "{a} {b}", "The {a} {b}"],
    },
    Genre {
        name: "punk",
        first: [
            "Angry", "Broken", "Cheap", "Rabid", "Municipal", "Greasy", "Rusty", "Expired",
            "Feral", "Unpaid", "Toothless", "Illegal", "Loud", "Discount", "Hostile", "Leaky",
        ],
        second: [
            "Parking Tickets", "Toasters", "Landlords", "Pigeons", "Vending Machine", "Babysitters", "Staplers",
            "Gherkins", "Trolleys", "Bus Drivers", "Mayonnaise", "Traffic Cones", "Lawnmowers", "Caretakers",
            "Dentists", "Photocopier",
        ],
        forms: &["{a} {b}", "The {a} {b}"],
    },
    Genre {
        name: "tropical",
        first: [
            "Mango", "Sol", "Palmera", "Calypso", "Guava", "Marea", "Coco", "Tamarind",
            "Brisa", "Hibiscus", "Papagayo", "Ola", "Jacaranda", "Hammock", "Pina", "Verano",
        ],
        second: [
            "Radio", "Soundsystem", "Dorado Club", "Tropicalistas", "Serenata", "Machete Brass", "del Puerto",
            "Fiesta Nine", "Bembe", "Canoa", "Carnaval Union", "Sonora", "Express", "Azul", "Corazon", "Terraza",
        ],
        forms: &["{a} {b}", "{a} {b}", "Los {a} {b}"],
    },
    Genre {
        name: "ambient",
        first: [
            "Glacier", "Lichen", "Tundra", "Distant", "Still", "Aurora", "Pale", "Fjord",
            "Weightless", "Cirrus", "Slow", "Driftwood", "Nocturnal", "Far", "Snowfield", "Boreal",
        ],
        second: [
            "Observatory", "Cartography", "Tidewater", "Atlas", "Weather Station", "Archive", "Transmission",
            "Shoreline", "Migration", "Horizon Study", "Cathedrals", "Estuary", "Field Notes", "Solstice", "Reservoir",
            "Meridian",
        ],
        forms: &["{a} {b}"],
    },
];

/// Handles of listeners, so that `--user mira` is all there is to type.
#[rustfmt::skip]
pub(super) const LISTENERS: [&str; 200] = [
    "mira", "ada", "bruno", "yuki", "lena", "omar", "nina", "tomas", "ines", "kofi",
    "freya", "luca", "zara", "anton", "priya", "hugo", "elif", "mateo", "sofia", "jonas",
    "amara", "felix", "noor", "pavel", "clara", "diego", "hana", "emil", "leila", "oscar",
    "greta", "rafael", "mei", "viktor", "alba", "samir", "ingrid", "theo", "nadia", "marco",
    "wren", "idris", "petra", "leon", "aiko", "milan", "rosa", "tariq", "edith", "joao",
    "farah", "nils", "carmen", "arjun", "vera", "pablo", "selma", "dante", "irina", "malik",
    "juno", "oskar", "lucia", "ravi", "astrid", "enzo", "maya", "piotr", "dalia", "simon",
    "thea", "karim", "bianca", "erik", "naomi", "andre", "sana", "lars", "olivia", "kenji",
    "marta", "yusuf", "helga", "nico", "layla", "stefan", "paloma", "amit", "ronja", "gael",
    "ximena", "henrik", "safiya", "milo", "agnes", "luis", "tara", "ivan", "celine", "bashir",
    "linnea", "ruben", "anya", "otto", "fatima", "jules", "ida", "rohan", "camila", "axel",
    "esther", "dmitri", "lucie", "hamza", "signe", "bela", "iris", "kwame", "flora", "matti",
    "renata", "zeno", "alma", "quentin", "dunja", "ezra", "livia", "hassan", "tilda", "remy",
    "sunniva", "goran", "adele", "vikram", "elsa", "tiago", "mona", "caspar", "yara", "lorenz",
    "beatriz", "aron", "niamh", "salim", "odile", "jakub", "kaia", "ramon", "saskia", "femi",
    "ottilie", "bjorn", "zofia", "imran", "cleo", "marius", "aylin", "hector", "runa", "isak",
    "valentina", "tobias", "shirin", "gustav", "pia", "adrian", "lotte", "nikhil", "esme", "rune",
    "dora", "mehmet", "julia", "silas", "amina", "florian", "veda", "joel", "tuva", "cyrus",
    "elena", "knut", "suki", "armand", "marit", "eduardo", "hilda", "navid", "rhea", "timo",
    "odessa", "basil", "lilou", "sven", "kamila", "abel", "noemi", "ronan", "sigrid", "zain",
];
