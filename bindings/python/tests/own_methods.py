"""Methods of somebody's own, as people would write them."""


class Strongest:
    """What does most by itself comes first."""

    name = "strongest"
    needs = {"singles"}

    def propose(self, person, item, k, goal, ask):
        alone = ask([edge] for edge in ask.edges)
        gains = dict(zip(ask.edges, alone))
        return sorted(ask.edges, key=lambda edge: -gains[edge].gain)


class Backwards:
    """What stands last comes first: as good as any."""

    name, version = "backwards", "1"

    def propose(self, person, item, k, goal, ask):
        yield from reversed(ask.edges)
