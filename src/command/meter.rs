//! The model by which a command counts, and whose window it works in.
//!
//! Responsible for deciding what the model is needed for, and for naming the origin of an unknown model name.

use std::env;

use crate::cli::{Counting, Limits};
use crate::command::{Shell, Trouble};
use crate::count::Meter;
use crate::models;
use crate::tokenizer::Encoding;

/// What a model is needed for.
#[derive(Clone, Copy)]
pub enum Need<'l> {
    /// Nothing that needs a model.
    Nothing,
    /// The model's encoding.
    Count,
    /// The model's encoding, and its window unless these limits set one.
    Limits(&'l Limits),
}

/// The environment variable that names a model if no flag does.
const MODEL: &str = "CTX_MODEL";

/// Whether the name of this model comes from the environment, for all commands.
pub(crate) fn is_named_for_all(model: &str) -> bool {
    env::var_os(MODEL).is_some_and(|it| it == model)
}

/// The meter for the arguments, and the model's window if limits need it. An unknown model is no error if it
/// was named for all commands and this command does not need it.
pub fn meter(counting: &Counting, need: Need<'_>) -> anyhow::Result<(Meter, Option<usize>)> {
    let model = counting.model();
    let is_named_for_all = model.is_some_and(is_named_for_all);
    let is_needed = match need {
        Need::Nothing => false,
        Need::Count => counting.encoding.is_none(),
        Need::Limits(limits) => counting.encoding.is_none() || limits.window.is_none(),
    };
    let model = match model.map(models::named).transpose() {
        Ok(model) => model,
        Err(_) if is_named_for_all && !is_needed => None,
        Err(unknown) => {
            let say = match need {
                Need::Limits(_) => "--encoding and --window say what is needed of it",
                _ => "--encoding says what is needed of it",
            };
            let (reason, hint) = if is_named_for_all {
                (format!("{MODEL}: {unknown}"), say.to_owned())
            } else {
                (unknown.to_string(), format!("without --model and {MODEL}, {say}"))
            };
            return Err(Trouble::new(reason, hint).into());
        }
    };
    let meter = match (counting.encoding, model) {
        (Some(encoding), _) => Meter::new(encoding),
        (None, Some(model)) => Meter::of_model(model),
        (None, None) => Meter::new(Encoding::default()),
    };
    Ok((meter, model.map(|model| model.window)))
}

/// Says that the counts for a model are estimates, where they are.
pub(crate) fn say_if_estimated(meter: &Meter, shell: &Shell) {
    if let Some((model, sure)) = meter.model().and_then(|model| Some((model, model.estimate?))) {
        shell.say(format_args!("counts for {} are estimates: ≈ {sure}", model.name()));
    }
}
