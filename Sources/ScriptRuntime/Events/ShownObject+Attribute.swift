package import FetchedResults

extension EntityDescription {
  /// Returns the attribute that objects are shown as: the display attribute, or else the first
  /// string attribute that is not the section key.
  package func shownAttribute(besides sectionKey: String?) -> String? {
    displayAttribute
      ?? attributes.first { $0.type == .string && $0.name != sectionKey }?.name
  }
}

extension ShownObject {
  package init(_ object: ManagedObject, attribute: String?) {
    self.init(
      id: object.objectID, display: attribute.flatMap { try? object.value(forKey: $0) })
  }
}
