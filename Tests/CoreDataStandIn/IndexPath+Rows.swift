extension IndexPath {
  /// Creates an index path of a table view.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// Creates an index path of a collection view.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The section of a table view or a collection view.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The row of a table view.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The item of a collection view.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
