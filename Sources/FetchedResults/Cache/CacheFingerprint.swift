/// What a cache was made for. Another configuration under the same name is the
/// programmer's fault, and fatal, as Apple has it.
package struct CacheFingerprint: Hashable, Sendable {
  package let entity: String
  package let attributes: [String]
  package let predicate: String?
  package let sortDescriptors: [FetchSortDescriptor]
  package let sectionNameKeyPath: String?
  package let limit: Int
  package let offset: Int
  package let locale: String

  package init(request: FetchRequest, sectionNameKeyPath: String?, locale: String) {
    entity = request.entity.name
    attributes = request.entity.attributes.map { "\($0.name): \($0.type.rawValue)" }
    predicate = request.predicate?.predicateFormat
    sortDescriptors = request.sortDescriptors
    self.sectionNameKeyPath = sectionNameKeyPath
    limit = request.fetchLimit
    offset = request.fetchOffset
    self.locale = locale
  }
}
