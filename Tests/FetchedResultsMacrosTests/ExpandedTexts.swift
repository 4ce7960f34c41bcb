extension ExpansionTests {
  static let attributesExpanded = ""
  static let relationshipsExpanded = ""
  static let emptyExpanded = ""
}
