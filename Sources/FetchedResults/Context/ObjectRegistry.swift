/// The objects of a context, by root entity and number.
struct ObjectRegistry {
  /// The tables in the order of their creation, so that no output depends on the order of a
  /// dictionary.
  ///
  /// A table lives as long as the context, because others keep references to it.
  private(set) var tables: [ObjectTable] = []
  private var tablesByRoot: [EntityDescription: ObjectTable] = [:]
  /// The table that was last used.
  ///
  /// A turn rarely needs another one.
  private var lastTable: (root: EntityDescription, table: ObjectTable)?

  /// For about how many objects there is memory, which is more than there are.
  var capacity: Int { tables.reduce(0) { $0 + $1.objects.capacity } }

  /// Returns the objects of a root entity.
  mutating func table(of root: EntityDescription) -> ObjectTable {
    if let lastTable, lastTable.root === root { return lastTable.table }
    let table = tablesByRoot[root] ?? addTable(of: root)
    lastTable = (root, table)
    return table
  }

  private mutating func addTable(of root: EntityDescription) -> ObjectTable {
    let table = ObjectTable()
    tablesByRoot[root] = table
    tables.append(table)
    return table
  }
}
