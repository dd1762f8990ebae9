//! The words by which sentences are judged, in the languages that most conversations are in.
//!
//! Responsible for the words alone; [`prose`](super) says what they make of a sentence. Each is found where a word
//! begins.

/// Words that mark a decision, a reason or a finding.
pub(super) const REASONS: &[&str] = &[
    "because", "so that", "turns out", "root cause", "instead", "to avoid", "no need",
    "not needed", "no code fix", "no fix", "no code change", "not worth", "that's why",
    "turned out", "overkill", "simpler", "so it's", "reconsider", "found that", "found the",
    "decided", "decision", "chose", "rather than", "confirmed", "due to", "therefore",
    "which means", "this means", "caused by", "fixed by", "reverted", "no longer", "trade-off",
    "recommend", "因为", "所以", "决定", "发现", "问题是", "原因", "改为", "修复", "なぜなら",
    "ため", "原因は", "決定", "修正", "weil", "deshalb", "stattdessen", "entschieden", "parce que",
    "au lieu de", "décidé", "porque", "en lugar", "decidido", "em vez", "потому что", "вместо",
    "решили",
];

/// Words that mark a reason or a finding unless they are announced: `Let me see what needs to be done` gives none.
pub(super) const HINTS: &[&str] = &[
    "needs to", "should be", "must be", "already", "actually", "the key", "the issue",
    "the problem", "the bug", "the reason", "the fix", "the cause", "otherwise", "to prevent",
    "to ensure", "in order to", "prevents", "ensures", "causes", "leads to", "results in",
    "culprit",
];

/// Words that mark a result.
pub(super) const RESULTS: &[&str] = &[
    "pass", "fail", "fixed", "complete", "created", "committed", "pushed", "merged", "verified",
    "works", "done", "implemented", "updated", "added", "removed", "renamed", "error", "all tests",
    "successfully", "broken", "完成", "成功", "失败", "通过", "完了", "fertig", "terminé", "listo",
    "готово",
];

/// Words that mark what is still to be done.
pub(super) const OPEN: &[&str] = &[
    "next step", "remaining", "still need", "not yet", "todo:", "a todo", "the todo", "todo list",
    "to do", "pending", "left to", "follow-up", "changes needed", "needed changes",
    "needs to change", "would you like", "do you want", "should i", "want me to", "blocked",
    "下一步", "待办", "接下来", "次に", "残り", "noch offen", "offene aufgabe", "offene frage",
    "offen ist", "offen bleib", "reste à", "pendiente",
];

/// Words that mark a demand which stays in force.
pub(super) const DEMANDS: &[&str] = &[
    "must", "never", "always", "don't", "do not", "only", "instead", "prefer", "should",
    "make sure", "no need", "remember", "keep in mind", "from now on", "不要", "必须", "总是",
    "只", "记住", "しないで", "必ず", "覚えて", "반드시", "항상", "하지 마", "기억해", "nicht",
    "immer", "merk dir", "denk daran", "ab jetzt", "ne pas", "toujours", "n'oublie", "désormais",
    "nunca", "siempre", "recuerda", "sempre", "lembre", "нельзя", "всегда", "запомни",
];

/// Words that mark a rule: a demand that stays in force whatever is done next.
pub(super) const RULES: &[&str] = &[
    "must", "never", "always", "do not", "don't ever", "make sure", "rule:", "rules:",
    "from now on", "keep in mind", "please remember", "remember:", "remember that", "niemals",
    "auf keinen fall", "ab jetzt", "merk dir", "denk daran", "jamais", "toujours", "désormais",
    "n'oublie", "nunca", "jamás", "siempre", "recuerda", "sempre", "lembre", "不要", "必须",
    "总是", "绝不", "记住", "しないで", "必ず", "決して", "覚えて", "반드시", "항상", "절대",
    "하지 마", "기억해", "никогда", "всегда", "нельзя", "запомни", "exactly as", "untouched",
];

/// Words that take a rule back or put it right: nobody may keep the one without the other.
pub(super) const REVOKES: &[&str] = &[
    "correction:", "i meant", "scratch that", "scrap th", "never mind", "forget th", "forget what",
    "off the table", "disregard", "that rule", "the rule", "this rule", "ignore what", "korrektur",
    "ich meinte", "vergiss", "doch nicht", "gilt nicht mehr", "die regel", "je voulais dire",
    "la règle", "olvida", "quise decir", "la regla", "esqueça", "quis dizer", "a regra", "更正",
    "我的意思是", "不用再", "作废", "訂正", "やっぱり", "取り消", "정정", "забудь", "я имел",
];

/// Words that mark a rule at the beginning of a sentence.
pub(super) const FORBIDS: &[&str] = &["don't", "don’t"];

/// Words that mark what is to be done.
pub(super) const WISHES: &[&str] = &[
    "please", "can you", "could you", "i want", "i need", "i'd like", "i’d like", "i would like",
    "we need", "we want", "your task", "the task", "the goal", "help me ", "请", "帮我", "我想",
    "我要", "してください", "お願い", "bitte ", "ich möchte", "ich brauche", "deine aufgabe",
    "je veux", "je voudrais", "s'il te plaît", "s'il vous plaît", "por favor", "quiero",
    "necesito", "preciso", "пожалуйста", "мне нужно", "я хочу",
];

/// Words that mark a supposition: mostly something else is found later in the same turn.
pub(super) const HEDGES: &[&str] = &[
    "might be", "may be", "could be", "might have", "may have", "could have", "maybe", "likely",
    "probably", "perhaps", "i suspect", "seems to", "wait,", "wait —", "wait –", "wait -",
    "but wait", "hmm", "vielleicht", "vermutlich", "wahrscheinlich", "könnte", "peut-être",
    "probablement", "semble", "quizá", "probablemente", "podría", "talvez", "provavelmente",
    "pode ser", "也许", "かもしれ", "おそらく", "아마도", "것 같", "возможно", "вероятно",
    "наверное",
];

/// Words that mark a refusal, or what cannot be done.
pub(super) const REFUSALS: &[&str] = &[
    "unable to", "not able to", "cannot", "can't", "can not", "not possible", "not allowed",
    "not permitted", "not eligible", "does not allow", "doesn't allow", "not covered",
    "does not cover", "won't be able", "unfortunately", "无法", "不能", "很抱歉", "できません",
    "nicht möglich", "leider", "kann nicht", "n'est pas possible", "malheureusement",
    "no es posible", "lamentablemente", "não é possível", "infelizmente", "невозможно",
    "к сожалению",
];
