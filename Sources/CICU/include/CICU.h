// The functions of ICU's C interface that the engine calls.
//
// Every system has ICU, but its headers reach Swift in different ways. Foundation for Linux has a
// copy whose functions have the prefix swift_, in a module whose name starts with an underscore.
// Apple's systems have libicucore without headers. The functions and values here are those of ICU's
// stable interface. They have our own names, so that they cannot conflict with other declarations.

#ifndef CICU_H
#define CICU_H

#include <stdint.h>

#ifdef __APPLE__
#define ICU_SYMBOL(name) __asm__("_" #name)
#else
#define ICU_SYMBOL(name) __asm__("swift_" #name)
#endif

/// A UErrorCode: above 0 for an error.
typedef int32_t ICUStatus;

// Collation.

/// A UCollator.
typedef struct ICUOpenCollator ICUOpenCollator;

/// Values of UColAttribute.
enum { icuNormalizationMode = 4, icuStrength = 5, icuNumericCollation = 7 };
/// Values of UColAttributeValue.
enum { icuSecondary = 1, icuTertiary = 2, icuOn = 17 };
/// Values of ULocDataLocaleType.
enum { icuActualLocale = 0, icuValidLocale = 1 };

extern ICUOpenCollator *icuOpenCollator(const char *locale, ICUStatus *status)
    ICU_SYMBOL(ucol_open);
extern void icuCloseCollator(ICUOpenCollator *collator) ICU_SYMBOL(ucol_close);
extern void icuSetAttribute(
    ICUOpenCollator *collator, int32_t attribute, int32_t value, ICUStatus *status)
    ICU_SYMBOL(ucol_setAttribute);
extern const char *icuLocaleOfCollator(
    const ICUOpenCollator *collator, int32_t type, ICUStatus *status)
    ICU_SYMBOL(ucol_getLocaleByType);
/// Returns -1, 0 or 1. The texts are UTF-8.
extern int32_t icuCompare(
    const ICUOpenCollator *collator, const char *left, int32_t leftCount, const char *right,
    int32_t rightCount, ICUStatus *status) ICU_SYMBOL(ucol_strcollUTF8);
/// Returns the length of the key, even if the buffer is too small for it.
extern int32_t icuSortKey(
    const ICUOpenCollator *collator, const uint16_t *text, int32_t count, uint8_t *key,
    int32_t capacity) ICU_SYMBOL(ucol_getSortKey);

// Regular expressions.

/// A URegularExpression.
typedef struct ICUOpenPattern ICUOpenPattern;
/// A URegexMatchCallback. It returns whether the match may continue.
typedef int8_t (*ICUMatchCallback)(const void *context, int32_t steps);

/// Values of URegexpFlag.
enum { icuIgnoresCase = 2, icuMultipleLines = 8, icuDotMatchesLineEnds = 32 };

/// The fourth parameter is a UParseError, which is not used here.
extern ICUOpenPattern *icuOpenPattern(
    const uint16_t *pattern, int32_t count, uint32_t flags, void *error, ICUStatus *status)
    ICU_SYMBOL(uregex_open);
extern void icuClosePattern(ICUOpenPattern *pattern) ICU_SYMBOL(uregex_close);
extern void icuSetTimeLimit(ICUOpenPattern *pattern, int32_t limit, ICUStatus *status)
    ICU_SYMBOL(uregex_setTimeLimit);
extern void icuSetMatchCallback(
    ICUOpenPattern *pattern, ICUMatchCallback callback, const void *context, ICUStatus *status)
    ICU_SYMBOL(uregex_setMatchCallback);
extern void icuSetText(
    ICUOpenPattern *pattern, const uint16_t *text, int32_t count, ICUStatus *status)
    ICU_SYMBOL(uregex_setText);
extern int8_t icuMatches(ICUOpenPattern *pattern, int32_t start, ICUStatus *status)
    ICU_SYMBOL(uregex_matches);

/// The name of a status, such as U_REGEX_RULE_SYNTAX.
extern const char *icuNameOfStatus(ICUStatus status) ICU_SYMBOL(u_errorName);

#endif
