package import FetchedResults

extension EvaluationEnvironment {
  /// What is wrong with the locale, in words; nil if nothing is.
  package var localeWarning: String? {
    if knowsLocale { return nil }
    return "unknown locale '\(locale)'; localized comparisons use the root locale's order, "
      + "write a locale such as 'en' or 'ja'"
  }
}
