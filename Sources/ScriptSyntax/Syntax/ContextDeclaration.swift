/// `context bg`, `context edit parent main policy objectTrump`.
package struct ContextDeclaration: Hashable, Sendable {
  package var name: Name
  package var parent: Name?
  /// One of ``mergePolicies``.
  package var policy: Name?

  package init(name: Name, parent: Name?, policy: Name?) {
    self.name = name
    self.parent = parent
    self.policy = policy
  }

  /// The words after `policy`.
  package static let mergePolicies = [
    "error", "objectTrump", "overwrite", "rollback", "storeTrump",
  ]
}
