package import FetchedResults

extension EvaluationEnvironment {
  /// A description of what is wrong with the locale; nil if it is valid.
  package var localeWarning: String? {
    if knowsLocale { return nil }
    return "unknown locale '\(locale)'; localized comparisons use the root locale's order, "
      + "write a locale such as 'en' or 'ja'"
  }
}
