//! The tokens of pictures, sound and files.
//!
//! Responsible for turning an item without text into tokens, by its provider's published rule and the real
//! width and height of a picture. It relies only on the header of the data and decodes no more base64 than
//! that, except for the pages of a PDF. Invariant: base64 never counts as text; an item that can't be read (a
//! link, the id of a file) counts as a full-size one.

mod header;
mod pages;
mod picture;
mod source;

use crate::dialect::Provider;
use crate::json::Json;

use header::{Header, decode};
pub(crate) use picture::{Detail, Fit, Rule};
pub(crate) use source::{Sort, texts, titles, without_base64};

/// The tokens of a document of unknown length: ten pages, as one agent assumes.
pub(crate) const DOCUMENT: usize = 25_800;

/// Gemini's tokens for a second of sound, from its documentation.
const GEMINI_SOUND: usize = 32;

/// OpenAI's tokens for a second of sound: one per 100 ms, from its guide to realtime costs.
const OPENAI_SOUND: usize = 10;

/// Gemini's tokens for a second of a video.
const VIDEO: usize = 263;

/// The assumed seconds of a recording whose length cannot be read.
const UNKNOWN_LENGTH: usize = 60;

/// The assumed bytes of a second of compressed sound, at 128 kbit/s.
const SOUND_RATE: usize = 16_000;

/// The assumed bytes of a second of video, at 2 Mbit/s.
const VIDEO_RATE: usize = 250_000;

/// The rule by which a provider's pictures count if no model is named.
pub(crate) fn rule_of(provider: Provider) -> Rule {
    match provider {
        Provider::OpenAi => Rule::Tiles { base: 85, each: 170 },
        Provider::Responses => Rule::PATCHES,
        Provider::Anthropic | Provider::Bedrock => Rule::Squares { edge: 1_568, most: 1_568 },
        Provider::Gemini => Rule::Gemini2,
        Provider::Mistral => Rule::Flat(1_600),
    }
}

/// The media type of a picture in base64; `None` if its format is unknown.
pub(crate) fn picture_type(data: &str) -> Option<&'static str> {
    Header::read(decode(data)).picture_type()
}

/// Whether data in base64 begins as a PDF does.
pub(crate) fn is_pdf(data: &str) -> bool {
    Header::read(decode(data)).begins(b"%PDF")
}

/// The tokens of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Its tokens.
    pub tokens: usize,
    /// Whether it is a document of unknown length.
    pub is_guess: bool,
}

/// The tokens of an item; `None` if it is no medium. Data and links that do not tell their type count as
/// documents if `is_file`, and otherwise give `None` too.
pub(crate) fn weigh(item: Json<'_>, rule: Rule, is_file: bool) -> Option<Weight> {
    let medium = source::read(item)?;
    let mut is_guess = false;
    let mut or_guess = |tokens: Option<usize>| {
        is_guess = tokens.is_none();
        tokens.unwrap_or(DOCUMENT)
    };
    let tokens = match medium.sort.or(is_file.then_some(Sort::Document))? {
        Sort::Picture => match medium.size() {
            Some((width, height)) => rule.tokens(width, height, medium.detail),
            None => rule.full_size(medium.detail),
        },
        Sort::Sound => {
            let gemini = matches!(rule, Rule::Gemini2 | Rule::Gemini3);
            let rate = if gemini { GEMINI_SOUND } else { OPENAI_SOUND };
            match medium.seconds() {
                Some(seconds) => seconds * rate,
                None => medium.bytes().map_or(UNKNOWN_LENGTH, |b| b / SOUND_RATE + 1) * rate,
            }
        }
        Sort::Video => medium.bytes().map_or(UNKNOWN_LENGTH, |b| b / VIDEO_RATE + 1) * VIDEO,
        // The provider reads a text given in base64: four bytes per token.
        Sort::Text => or_guess(medium.bytes().map(|bytes| bytes.div_ceil(4))),
        Sort::Document => or_guess(medium.pages().map(|pages| pages * rule.page())),
    };
    Some(Weight { tokens, is_guess })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::header::tests::{base64, gif, jpeg, png, wav};

    fn weight(item: &str, rule: Rule) -> usize {
        weigh(Json::from_checked(item), rule, false).unwrap().tokens
    }

    const TILES: Rule = Rule::Tiles { base: 85, each: 170 };

    #[test]
    fn reads_pictures_where_each_provider_puts_them() {
        let data = base64(&png(1024, 1024));
        for item in [
            format!(r#"{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}"#),
            format!(r#"{{"type":"input_image","image_url":"data:image/png;base64,{data}"}}"#),
            format!(
                r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
            ),
            format!(r#"{{"inlineData":{{"mimeType":"image/png","data":"{data}"}}}}"#),
            format!(r#"{{"type":"image","data":"{data}","mimeType":"image/png"}}"#),
            format!(r#"{{"type":"file","mediaType":"image/png","url":"data:image/png;base64,{data}"}}"#),
            format!(r#"{{"image":{{"format":"png","source":{{"bytes":"{data}"}}}}}}"#),
            r#"{"content_type":"image_asset_pointer","asset_pointer":"file-service://x","width":1024,"height":1024}"#.to_owned(),
        ] {
            assert_eq!(weight(&item, TILES), 765, "{item}");
        }
    }

    #[test]
    fn escaped_slashes_and_other_formats_are_read_too() {
        let data = base64(&jpeg(2048, 4096)).replace('/', "\\/");
        let item =
            format!(r#"{{"type":"input_image","image_url":"data:image\/jpeg;base64,{data}"}}"#);
        assert_eq!(weight(&item, TILES), 1105);
        let item = format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{}"}}}}"#,
            base64(&gif(1920, 1080))
        );
        let rule = rule_of(Provider::Anthropic);
        assert_eq!(weight(&item, rule), 1560);
    }

    #[test]
    fn low_detail_costs_the_base_whatever_the_size() {
        let item = r#"{"type":"image_url","image_url":{"url":"https://x/y.png","detail":"low"}}"#;
        assert_eq!(weight(item, TILES), 85);
    }

    #[test]
    fn links_and_file_ids_count_as_a_full_size_picture() {
        let link = r#"{"type":"image","source":{"type":"url","url":"https://x/y.png"}}"#;
        let rule = rule_of(Provider::Anthropic);
        assert_eq!(weight(link, rule), 1568);
        let id = r#"{"type":"input_image","file_id":"file-1"}"#;
        assert_eq!(weight(id, Rule::PATCHES), 1536);
    }

    #[test]
    fn documents_sound_and_video_have_their_own_figures() {
        let pdf = base64(b"%PDF-1.7\n");
        let item = format!(
            r#"{{"type":"document","source":{{"type":"base64","media_type":"application/pdf","data":"{pdf}"}}}}"#
        );
        assert_eq!(weight(&item, TILES), 25_800);
        let link = r#"{"type":"document_url","document_url":"https://a.b/c.pdf"}"#;
        assert_eq!(weight(link, TILES), DOCUMENT);
        let pdf = base64(b"%PDF-1.7\n2 0 obj <</Type/Pages/Count 3/Kids[]>> endobj\n%%EOF\n");
        let item = format!(r#"{{"inlineData":{{"mimeType":"application/pdf","data":"{pdf}"}}}}"#);
        assert_eq!(weight(&item, Rule::Gemini2), 3 * 258);
        assert_eq!(weight(&item, TILES), 3 * 2_580);
        let item = format!(
            r#"{{"inlineData":{{"mimeType":"audio/wav","data":"{}"}}}}"#,
            base64(&wav(3, 8_000))
        );
        assert_eq!(weight(&item, Rule::Gemini2), 96);
        let item = r#"{"fileData":{"mimeType":"video/mp4","fileUri":"https://x"}}"#;
        assert_eq!(weight(item, Rule::Gemini2), 60 * 263);
    }

    #[test]
    fn data_of_an_unknown_type_is_a_document_in_a_file_alone() {
        let data = base64(&[1; 3_000]);
        let item = format!(r#"{{"type":"hologram","data":"{data}"}}"#);
        assert_eq!(weigh(Json::from_checked(&item), TILES, false), None);
        let item = format!(r#"{{"inlineData":{{"data":"{data}"}}}}"#);
        let guess = Weight { tokens: DOCUMENT, is_guess: true };
        assert_eq!(weigh(Json::from_checked(&item), TILES, true), Some(guess));
    }

    #[test]
    fn texts_are_no_media() {
        for item in [
            r#"{"type":"text","text":"x"}"#,
            r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x y"}}"#,
            r#"{"type":"tool_reference","tool_name":"x"}"#,
            r#"{"type":"resource","resource":{"uri":"file:///x","text":"y"}}"#,
        ] {
            assert_eq!(weigh(Json::from_checked(item), TILES, true), None, "{item}");
        }
    }
}
