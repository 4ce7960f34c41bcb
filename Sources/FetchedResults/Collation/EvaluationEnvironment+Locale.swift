extension EvaluationEnvironment {
  /// Whether ICU knows the language of ``locale``.
  public var knowsLocale: Bool { Collator.isKnown(locale) }
}
