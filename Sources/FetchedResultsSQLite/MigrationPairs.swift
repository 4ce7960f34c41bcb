import FetchedResults

/// The pairs of objects in an old relationship, as an SQL statement.
///
/// The statement selects four columns. `a` and `b` are the numbers of both objects. `ka` is the
/// order key of `b` among the objects of `a`, and `kb` that of `a` among those of `b`.
struct MigrationPairs {
  let select: String
  /// Whether `ka` and `kb` are order keys.
  ///
  /// Otherwise they are null.
  let hasKeys: (own: Bool, other: Bool)
  /// The old entity on the other side.
  let destination: EntityDescription

  /// - Returns: Nil if the old file does not store the relationship.
  init?(_ source: RelationshipSource, of entity: EntityDescription, _ layout: StoreLayout) throws {
    switch source {
    case .same(let ordinal):
      guard let select = try Self.select(entity, ordinal, layout, ("a", "b", "ka", "kb")) else {
        return nil
      }
      self.select = select.text
      hasKeys = (select.hasOwnKeys, select.hasOtherKeys)
      destination = try entity.link(at: ordinal).destination
    case .reversed(let other, let ordinal):
      guard let select = try Self.select(other, ordinal, layout, ("b", "a", "kb", "ka")) else {
        return nil
      }
      self.select = select.text
      hasKeys = (select.hasOtherKeys, select.hasOwnKeys)
      destination = other
    }
  }

  private static func select(
    _ entity: EntityDescription, _ ordinal: Int, _ layout: StoreLayout,
    _ names: (own: String, other: String, ownKey: String, otherKey: String)
  ) throws -> (text: String, hasOwnKeys: Bool, hasOtherKeys: Bool)? {
    let (own, other, ownKey, otherKey) = names
    switch layout[entity]?.relationships[ordinal] {
    case .toOne(let column, _, let order)?:
      guard let table = layout[entity]?.table.quotedForSQL else { return nil }
      let column = column.quotedForSQL
      return (
        "SELECT Z_PK \(own), \(column) \(other), NULL \(ownKey), "
          + "\(order?.quotedForSQL ?? "NULL") \(otherKey) FROM \(table) "
          + "WHERE \(column) IS NOT NULL", false, order != nil
      )
    case .fromOther(let table, let column, let order)?:
      let column = column.quotedForSQL
      return (
        "SELECT \(column) \(own), Z_PK \(other), \(order?.quotedForSQL ?? "NULL") \(ownKey), "
          + "NULL \(otherKey) FROM \(table.quotedForSQL) WHERE \(column) IS NOT NULL",
        order != nil, false
      )
    case .join(let table, let ownColumn, let otherColumn, let order)?:
      var back: String?
      let link = try entity.link(at: ordinal)
      if let inverse = link.inverse,
        case .join(_, let from, _, let key)? = layout[link.destination]?
          .relationships[inverse.ordinal], from == otherColumn
      {
        back = key
      }
      return (
        "SELECT \(ownColumn.quotedForSQL) \(own), \(otherColumn.quotedForSQL) \(other), "
          + "\(order?.quotedForSQL ?? "NULL") \(ownKey), "
          + "\(back?.quotedForSQL ?? "NULL") \(otherKey) FROM \(table.quotedForSQL)",
        order != nil, back != nil
      )
    case nil: return nil
    }
  }
}
