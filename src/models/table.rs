//! The rows: how each family counts, and how certain that is.
//!
//! Windows and output limits are the vendors' own, of October 2026. Factors and framing come from recorded
//! usage where `estimate` says so: recorded ≈ factor · tokens + a constant per text + a constant per call
//! with its result.

use super::Model;
use crate::dialect::Framing;
use crate::media::{Fit, Rule};
use crate::tokenizer::Encoding;
use crate::tools;

/// The base of OpenAI's rows.
const GPT: Model = Model {
    names: &[],
    encoding: Encoding::O200kBase,
    permille: 1000,
    framing: None,
    window: 128_000,
    output: 16_384,
    media: Rule::Tiles { base: 85, each: 170 },
    tools: tools::Rule::Functions { each: 7 },
    estimate: None,
};

const GPT_4: Model =
    Model { encoding: Encoding::Cl100kBase, tools: tools::Rule::Functions { each: 10 }, ..GPT };

const O_SERIES: Model =
    Model { window: 200_000, output: 100_000, media: Rule::Tiles { base: 75, each: 150 }, ..GPT };

/// Framing of items as fitted on recorded codex sessions of gpt-5.4 and 5.5: 1.7 % off per step and 0.6 % per
/// session, on sessions that were not used for fitting.
const ITEMS: Framing = Framing { text: 10, call: 11, result: 10, conversation: 3, ..Framing::NONE };

const GPT_5: Model = Model {
    framing: Some(ITEMS),
    window: 272_000,
    output: 128_000,
    media: Rule::Tiles { base: 70, each: 140 },
    ..GPT
};

const GPT_5_2: Model = Model { media: Rule::PATCHES, ..GPT_5 };

const GPT_5_4: Model = Model {
    window: 922_000,
    media: Rule::Patches {
        high: Fit { patches: 2_500, edge: 2_048 },
        original: Fit { patches: 10_000, edge: 6_000 },
        permille: 1000,
    },
    ..GPT_5
};

/// The base of Anthropic's rows.
const CLAUDE: Model = Model {
    names: &[],
    encoding: Encoding::O200kBase,
    permille: 1145,
    framing: Some(Framing { text: 10, call: 45, result: 45, ..Framing::NONE }),
    window: 200_000,
    output: 64_000,
    media: Rule::Squares { edge: 1_568, most: 1_568 },
    tools: tools::Rule::Anthropic { auto: 313, forced: 315 },
    estimate: Some("factor 1.145 on o200k_base and 90 a call, as Opus 4.5; hardly measured itself"),
};

const CLAUDE_3: Model = Model {
    permille: 1270,
    framing: None,
    output: 4_096,
    tools: tools::Rule::Anthropic { auto: 264, forced: 355 },
    estimate: Some("factor 1.27 on o200k_base, of 50 coding logs 1.18 to 1.34"),
    ..CLAUDE
};

/// 4.5 and 4.6 have the same tokenizer. Step by step the factor is 1.112; the rest is text that the client
/// adds to a request and does not log.
const CLAUDE_4_5: Model = Model {
    tools: tools::Rule::Anthropic { auto: 496, forced: 588 },
    estimate: Some("factor 1.145 on o200k_base and 90 a call, fitted: 4 % off a session"),
    ..CLAUDE
};

const CLAUDE_4_6: Model = Model {
    window: 1_000_000,
    tools: tools::Rule::Anthropic { auto: 497, forced: 589 },
    ..CLAUDE_4_5
};

const CLAUDE_4_7: Model = Model {
    permille: 1500,
    framing: Some(Framing { text: 12, call: 48, result: 47, ..Framing::NONE }),
    window: 1_000_000,
    output: 128_000,
    media: Rule::Squares { edge: 2_576, most: 4_784 },
    tools: tools::Rule::Anthropic { auto: 675, forced: 804 },
    estimate: Some(
        "factor 1.5 on o200k_base and 95 a call, fitted on one session of Opus 4.7: 6 %",
    ),
    ..CLAUDE
};

const CLAUDE_5: Model = Model {
    tools: tools::Rule::Anthropic { auto: 286, forced: 406 },
    estimate: Some("factor 1.5 on o200k_base and 95 a call, as Opus 4.7; not measured itself"),
    ..CLAUDE_4_7
};

const GEMINI: Model = Model {
    names: &[],
    encoding: Encoding::O200kBase,
    permille: 1150,
    framing: None,
    window: 1_048_576,
    output: 65_536,
    media: Rule::Gemini2,
    tools: tools::Rule::Json,
    estimate: Some(
        "factor 1.15 on o200k_base, from the vendor's 4 characters a token; not measured",
    ),
};

/// The base of the rows of open models.
const OPEN: Model = Model {
    names: &[],
    encoding: Encoding::O200kBase,
    permille: 1050,
    framing: None,
    window: 131_072,
    output: 8_192,
    media: Rule::Flat(1_600),
    tools: tools::Rule::Json,
    estimate: Some("factor 1.05 on o200k_base; not measured"),
};

const MISTRAL: Model = Model {
    permille: 1100,
    estimate: Some("factor 1.1 on o200k_base: prose 1.05, JSON 1.21, hex 1.55"),
    ..OPEN
};

const DEEPSEEK: Model = Model {
    permille: 997,
    framing: Some(Framing { call: 28, result: 27, ..Framing::NONE }),
    estimate: Some("factor 0.997 on o200k_base and 55 an exchange, fitted: 1.2 % a session"),
    ..OPEN
};

const LLAMA_2: Model = Model {
    permille: 1250,
    window: 4_096,
    output: 4_096,
    estimate: Some("factor 1.25 on o200k_base: 1.17 to 1.29, hex 1.55"),
    ..OPEN
};

/// All known families.
pub static MODELS: &[Model] = &[
    Model {
        names: &["gpt-6", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna"],
        estimate: Some("o200k_base and framing as gpt-5.6; not measured"),
        ..GPT_5_4
    },
    Model { names: &["gpt-5.6"], ..GPT_5_4 },
    Model { names: &["gpt-5.5"], ..GPT_5_4 },
    Model { names: &["gpt-5.4"], ..GPT_5_4 },
    Model {
        names: &["gpt-5.4-mini"],
        window: 272_000,
        media: Rule::PATCHES.times(1620),
        ..GPT_5_4
    },
    Model {
        names: &["gpt-5.4-nano"],
        window: 272_000,
        media: Rule::PATCHES.times(2460),
        ..GPT_5_4
    },
    Model { names: &["gpt-5.3", "gpt-5.3-codex"], ..GPT_5_2 },
    Model { names: &["gpt-5.3-codex-spark"], window: 128_000, output: 32_000, ..GPT_5_2 },
    Model { names: &["gpt-5.2", "gpt-5.2-codex"], ..GPT_5_2 },
    Model { names: &["gpt-5.2-chat"], window: 128_000, output: 16_384, ..GPT_5_2 },
    Model { names: &["gpt-5", "gpt-5.1", "gpt-5-codex", "gpt-5.1-codex"], ..GPT_5 },
    Model { names: &["gpt-5-chat", "gpt-5.1-chat"], window: 128_000, output: 16_384, ..GPT_5 },
    Model {
        names: &["gpt-5-mini", "gpt-5.1-codex-mini"],
        media: Rule::PATCHES.times(1620),
        ..GPT_5
    },
    Model { names: &["gpt-5-nano"], media: Rule::PATCHES.times(2460), ..GPT_5 },
    Model { names: &["gpt-4.1"], window: 1_047_576, output: 32_768, ..GPT },
    Model {
        names: &["gpt-4.1-mini"],
        window: 1_047_576,
        output: 32_768,
        media: Rule::PATCHES.times(1620),
        ..GPT
    },
    Model {
        names: &["gpt-4.1-nano"],
        window: 1_047_576,
        output: 32_768,
        media: Rule::PATCHES.times(2460),
        ..GPT
    },
    Model { names: &["gpt-4.5"], ..GPT },
    Model { names: &["gpt-4o", "chatgpt-4o"], ..GPT },
    Model { names: &["gpt-4o-mini"], media: Rule::Tiles { base: 2_833, each: 5_667 }, ..GPT },
    Model { names: &["gpt-4"], window: 8_192, output: 8_192, ..GPT_4 },
    Model { names: &["gpt-4-32k"], window: 32_768, output: 8_192, ..GPT_4 },
    Model {
        names: &["gpt-4-turbo", "gpt-4-1106", "gpt-4-0125", "gpt-4-vision"],
        output: 4_096,
        ..GPT_4
    },
    Model { names: &["gpt-3.5", "gpt-35"], window: 16_385, output: 4_096, ..GPT_4 },
    Model { names: &["text-embedding-3"], window: 8_191, output: 0, ..GPT_4 },
    Model { names: &["o1", "o3"], ..O_SERIES },
    Model { names: &["o1-mini", "o1-preview"], window: 128_000, output: 65_536, ..O_SERIES },
    Model { names: &["o3-mini"], ..O_SERIES },
    Model { names: &["o4-mini", "codex-mini"], media: Rule::PATCHES.times(1720), ..O_SERIES },
    Model {
        names: &["computer-use-preview"],
        window: 8_192,
        output: 1_024,
        media: Rule::Tiles { base: 65, each: 129 },
        ..GPT
    },
    Model { names: &["gpt-oss"], window: 131_072, output: 131_072, ..GPT },
    Model { names: &["claude-opus-5", "claude-opus-5-5"], ..CLAUDE_5 },
    Model {
        names: &["claude-sonnet-5", "claude-sonnet-5-5"],
        tools: tools::Rule::Anthropic { auto: 354, forced: 474 },
        ..CLAUDE_5
    },
    Model { names: &["claude-haiku-5", "claude-haiku-5-5"], ..CLAUDE_5 },
    Model { names: &["claude-fable-5", "claude-fable-5-1", "claude-mythos-5"], ..CLAUDE_5 },
    Model {
        names: &["claude-opus-4-8"],
        tools: tools::Rule::Anthropic { auto: 290, forced: 410 },
        ..CLAUDE_5
    },
    Model { names: &["claude-opus-4-7"], ..CLAUDE_4_7 },
    Model { names: &["claude-opus-4-6"], output: 128_000, ..CLAUDE_4_6 },
    Model { names: &["claude-sonnet-4-6"], ..CLAUDE_4_6 },
    Model { names: &["claude-opus-4-5", "claude-4.5-opus"], ..CLAUDE_4_5 },
    Model { names: &["claude-sonnet-4-5", "claude-4.5-sonnet"], ..CLAUDE_4_5 },
    Model { names: &["claude-haiku-4-5", "claude-4.5-haiku"], ..CLAUDE_4_5 },
    Model {
        names: &["claude-opus-4", "claude-opus-4-1", "claude-4-opus"],
        output: 32_000,
        ..CLAUDE
    },
    Model { names: &["claude-sonnet-4", "claude-4-sonnet"], ..CLAUDE },
    Model { names: &["claude-3-7-sonnet"], output: 64_000, ..CLAUDE_3 },
    Model {
        names: &["claude-3-5-sonnet"],
        permille: 1240,
        output: 8_192,
        estimate: Some("factor 1.24 on o200k_base, of 50 whole requests 2.4 % off"),
        ..CLAUDE_3
    },
    Model { names: &["claude-3-5-haiku"], output: 8_192, ..CLAUDE_3 },
    Model { names: &["claude-3"], ..CLAUDE_3 },
    Model { names: &["gemini-3"], media: Rule::Gemini3, ..GEMINI },
    Model { names: &["gemini-2"], ..GEMINI },
    Model { names: &["gemini-1.5-pro"], window: 2_097_152, output: 8_192, ..GEMINI },
    Model { names: &["gemini-1.5"], output: 8_192, ..GEMINI },
    Model {
        names: &["mistral", "open-mistral", "ministral", "magistral", "mathstral", "voxtral"],
        ..MISTRAL
    },
    Model {
        names: &["mistral-large", "mistral-medium", "mistral-small", "devstral"],
        window: 262_144,
        output: 262_144,
        ..MISTRAL
    },
    Model { names: &["codestral"], window: 256_000, ..MISTRAL },
    Model { names: &["pixtral"], window: 128_000, ..MISTRAL },
    Model { names: &["mixtral", "open-mixtral"], window: 65_536, ..LLAMA_2 },
    Model {
        names: &["deepseek", "deepseek-v4", "deepseek-chat", "deepseek-reasoner"],
        window: 1_000_000,
        output: 384_000,
        ..DEEPSEEK
    },
    Model { names: &["deepseek-v3", "deepseek-r1", "deepseek-coder"], ..DEEPSEEK },
    Model { names: &["llama-2", "llama2", "codellama"], ..LLAMA_2 },
    Model { names: &["llama-3", "llama3", "llama-3-8b", "llama-3-70b"], window: 8_192, ..OPEN },
    Model {
        names: &["llama-3.1", "llama-3.2", "llama-3.3", "llama3.1", "llama3.2", "llama3.3"],
        ..OPEN
    },
    Model { names: &["llama-4", "llama4"], window: 1_000_000, output: 16_384, ..OPEN },
    Model { names: &["qwen", "qwq"], ..OPEN },
    Model { names: &["qwen3-coder", "qwen3.5"], window: 262_144, output: 65_536, ..OPEN },
    Model { names: &["qwen3-coder-plus"], window: 1_000_000, output: 65_536, ..OPEN },
    Model { names: &["kimi", "kimi-k2", "moonshot"], window: 262_144, output: 262_144, ..OPEN },
    Model { names: &["kimi-k3"], window: 1_048_576, output: 262_144, ..OPEN },
    Model { names: &["glm", "glm-4"], output: 131_072, ..OPEN },
    Model { names: &["glm-4.6", "glm-4.7", "glm-5"], window: 204_800, output: 131_072, ..OPEN },
    Model { names: &["glm-5.3"], window: 1_000_000, output: 131_072, ..OPEN },
    Model { names: &["grok", "grok-3"], output: 131_072, ..OPEN },
    Model { names: &["grok-4", "grok-code"], window: 256_000, output: 256_000, ..OPEN },
    Model { names: &["grok-4-fast"], window: 2_000_000, output: 64_000, ..OPEN },
    Model { names: &["grok-4.7"], window: 500_000, output: 500_000, ..OPEN },
    Model { names: &["gemma"], ..OPEN },
    Model { names: &["phi-3", "phi-4"], ..OPEN },
    Model { names: &["minimax"], window: 204_800, output: 131_072, ..OPEN },
    Model { names: &["command-r", "command-a"], window: 128_000, ..OPEN },
];
