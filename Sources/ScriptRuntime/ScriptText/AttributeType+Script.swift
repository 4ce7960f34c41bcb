package import FetchedResults

extension AttributeType {
  /// Creates the type for a script's word.
  ///
  /// `Int` is the 64-bit type.
  package init?(scriptName: String) {
    self.init(rawValue: scriptName == "Int" ? AttributeType.integer64.rawValue : scriptName)
  }

  /// The word for the type in a script.
  package var scriptName: String { self == .integer64 ? "Int" : rawValue }
}
