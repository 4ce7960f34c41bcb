/// What a cache was made for: the controller's configuration, and what else
/// decides which rows it found.
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

  /// Whether both come from one configuration: entity, predicate, sort and
  /// section key.
  ///
  /// Another configuration under the same name is the programmer's fault, and
  /// fatal, as Apple has it. Any other difference only makes a cache useless.
  package func hasConfiguration(of other: CacheFingerprint) -> Bool {
    entity == other.entity && predicate == other.predicate
      && sortDescriptors == other.sortDescriptors
      && sectionNameKeyPath == other.sectionNameKeyPath
  }
}
