#if canImport(_FoundationICU)
import CICU
import Testing
import _FoundationICU

/// Compares the engine's constants with the installed headers of ICU.
@Suite("ICU's values")
struct ICUTests {
  @Test("attributes, their values and flags are those of ICU's headers")
  func values() {
    #expect(icuNormalizationMode == Int(UCOL_NORMALIZATION_MODE.rawValue))
    #expect(icuStrength == Int(UCOL_STRENGTH.rawValue))
    #expect(icuNumericCollation == Int(UCOL_NUMERIC_COLLATION.rawValue))
    #expect(icuSecondary == Int(UCOL_SECONDARY.rawValue))
    #expect(icuTertiary == Int(UCOL_TERTIARY.rawValue))
    #expect(icuOn == Int(UCOL_ON.rawValue))
    #expect(icuValidLocale == Int(ULOC_VALID_LOCALE.rawValue))
    #expect(icuIgnoresCase == Int(UREGEX_CASE_INSENSITIVE.rawValue))
    #expect(icuMultipleLines == Int(UREGEX_MULTILINE.rawValue))
    #expect(icuDotMatchesLineEnds == Int(UREGEX_DOTALL.rawValue))
    #expect(MemoryLayout<ICUStatus>.size == MemoryLayout<UErrorCode>.size)
  }
}
#endif
