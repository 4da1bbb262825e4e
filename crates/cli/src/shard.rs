//! Which part of the people: as somebody says, or as the machines they run on say.

use grease::Shard;

/// What one of those who start the same command many times calls its part.
struct Scheduler {
    name: &'static str,
    /// Which part, and the first of them; without a name the first is 0.
    index: &'static str,
    first: Option<&'static str>,
    /// How many there are.
    count: &'static str,
    /// From one part to the next.
    step: Option<&'static str>,
}

const SCHEDULERS: [Scheduler; 3] = [
    Scheduler {
        name: "a Kubernetes Indexed Job",
        index: "JOB_COMPLETION_INDEX",
        first: None,
        count: "JOB_COMPLETIONS",
        step: None,
    },
    Scheduler {
        name: "a Slurm array",
        index: "SLURM_ARRAY_TASK_ID",
        first: Some("SLURM_ARRAY_TASK_MIN"),
        count: "SLURM_ARRAY_TASK_COUNT",
        step: Some("SLURM_ARRAY_TASK_STEP"),
    },
    Scheduler {
        name: "an AWS Batch array",
        index: "AWS_BATCH_JOB_ARRAY_INDEX",
        first: None,
        count: "AWS_BATCH_JOB_ARRAY_SIZE",
        step: None,
    },
];

/// `2/8`, or `auto`.
pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    match text {
        "auto" => found(&|name| std::env::var(name).ok()),
        text => text.parse().map_err(|why| format!("{why}, or auto")),
    }
}

fn found(variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let here = SCHEDULERS.iter().find(|scheduler| variable(scheduler.index).is_some());
    let Some(Scheduler { name, index, first, count, step }) = here else {
        let looked: Vec<String> =
            SCHEDULERS.iter().map(|s| format!("{} and {} ({})", s.index, s.count, s.name)).collect();
        return Err(format!("looked for {}, and found none of them set", looked.join(", ")));
    };
    let number = |name: &str| {
        let Some(text) = variable(name) else {
            return Err(format!("{index} is set, but {name} is not, which says how many parts there are"));
        };
        text.trim().parse::<usize>().map_err(|_| format!("{name} is '{text}', expected a whole number"))
    };
    let or = |name: &Option<&str>, usual: usize| match name.filter(|name| variable(name).is_some()) {
        Some(name) => number(name),
        None => Ok(usual),
    };
    let (at, parts) = (number(index)?, number(count)?);
    let (first, step) = (or(first, 0)?, or(step, 1)?.max(1));
    let part = at.checked_sub(first).map(|after| after / step + 1);
    part.and_then(|part| Shard::new(part, parts))
        .ok_or_else(|| format!("{name} says part {at} of {parts}, and there is no such part"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
        found(&variable).map(|shard| shard.to_string())
    }

    #[test]
    fn every_scheduler_counts_in_its_own_way() {
        assert_eq!(of(&[("JOB_COMPLETION_INDEX", "0"), ("JOB_COMPLETIONS", "8")]).unwrap(), "1/8");
        assert_eq!(
            of(&[("AWS_BATCH_JOB_ARRAY_INDEX", "7"), ("AWS_BATCH_JOB_ARRAY_SIZE", "8")]).unwrap(),
            "8/8"
        );
        let slurm = |id, min, step| {
            of(&[
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_COUNT", "4"),
                ("SLURM_ARRAY_TASK_STEP", step),
            ])
        };
        assert_eq!(slurm("1", "1", "1").unwrap(), "1/4");
        assert_eq!(slurm("0", "0", "1").unwrap(), "1/4");
        assert_eq!(slurm("16", "10", "2").unwrap(), "4/4");
        assert!(slurm("9", "1", "1").unwrap_err().ends_with("says part 9 of 4, and there is no such part"));
        assert!(slurm("0", "1", "1").unwrap_err().contains("no such part"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let nothing = of(&[]).unwrap_err();
        for name in ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "AWS_BATCH_JOB_ARRAY_SIZE", "Kubernetes"]
        {
            assert!(nothing.contains(name), "{nothing}");
        }
        let half = of(&[("JOB_COMPLETION_INDEX", "3")]).unwrap_err();
        assert_eq!(
            half,
            "JOB_COMPLETION_INDEX is set, but JOB_COMPLETIONS is not, which says how many parts there are"
        );
        let odd = of(&[("JOB_COMPLETION_INDEX", "x"), ("JOB_COMPLETIONS", "3")]).unwrap_err();
        assert_eq!(odd, "JOB_COMPLETION_INDEX is 'x', expected a whole number");
        assert!(shard("2").unwrap_err().ends_with("such as 2/8, or auto"));
    }
}
