/// The names that can follow the dot of a value, for suggestions and completion.
package enum MemberNames {
  package static let ofControllers = [
    "cacheName", "fetchedObjects", "sectionIndexTitles", "sectionNameKeyPath", "sections",
  ]
  package static let ofLists = ["count", "first", "isEmpty", "last"]
  package static let ofObjectIDs = ["isTemporaryID"]
  package static let ofRanges = ["count"]
  package static let ofSections = ["indexTitle", "name", "numberOfObjects", "objects"]
  package static let ofStrings = ["count", "isEmpty", "length"]

  /// The methods of controllers, with their call forms.
  package static let methods = [
    "indexPath": "indexPath(forObject: OBJECT)",
    "object": "object(at: [SECTION, ROW])",
    "section": "section(forSectionIndexTitle: TITLE, at: INDEX)",
    "sectionIndexTitle": "sectionIndexTitle(forSectionName: NAME)",
  ]

  /// Returns the labels of a method's arguments.
  package static func labels(of method: String) -> [String] {
    guard let usage = methods[method] else { return [] }
    return usage.split { $0 == "(" || $0 == " " || $0 == "," }
      .filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
  }
}
