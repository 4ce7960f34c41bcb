package import ScriptRuntime

/// What a script did, statement by statement, as a page plays it.
package struct PlayRecording {
  /// What the page is called.
  package var title: String
  /// The lines of the file.
  package var lines: [String] = []
  package var steps: [Step] = []

  /// A top-level statement and what it brought about.
  package struct Step {
    /// The lines of the statement, counted from 1.
    package var lines: ClosedRange<Int>
    /// Whether the statement begins a session of its own.
    package var beginsSession = false
    package var frames: [Frame] = []
    /// Why callbacks were sent, or were not.
    package var explanations: [Explanation] = []
    /// What the statement changed after its last event, or without one.
    package var change = ListChanges()
  }

  /// An event, and what controllers and tables show since.
  package struct Frame {
    package var event: Event
    package var change = ListChanges()
  }
}

/// How lists of rows differ from what they were before.
package struct ListChanges {
  /// By the names of controllers and tables, in order; nil for a name that is no longer
  /// one's.
  package var lists: [(name: String, change: ListChange?)] = []
  /// What contexts have not saved, by their names.
  package var unsaved: [(context: String, counts: UnsavedCounts)] = []

  package var isEmpty: Bool { lists.isEmpty && unsaved.isEmpty }
}

/// How many objects of a context a save would write.
package struct UnsavedCounts: Equatable {
  package var inserted = 0
  package var updated = 0
  package var deleted = 0
}

/// How one list differs from what it was before.
package struct ListChange {
  /// What the list is, if that is new or has changed.
  package var head: ListHead?
  /// How the old items become the new ones; empty if they are the same.
  package var edits: [ListEdit] = []
  /// The texts that are new or have changed.
  package var texts: [(row: RowKey, text: RowText)] = []

  package var isEmpty: Bool { head == nil && edits.isEmpty && texts.isEmpty }
}

/// What a list is, besides its rows.
package struct ListHead: Equatable {
  package var context: String
  /// The controller that a table shows; nil for a controller.
  package var controller: String?
  /// What is to be known of it, in words: that it has not fetched, that an exception
  /// keeps a table from following.
  package var state: String?
}

/// A row of a list: an object by its number, and how often it was above, since a table that went
/// wrong may show an object twice.
package struct RowKey: Hashable {
  package var number: Int64
  package var repetition = 0
}

/// What a row shows.
package struct RowText: Equatable {
  /// The object's identity, such as `Book/3`.
  package var object: String
  /// The text that the object is shown as; nil if it has none, or if it was not read.
  package var text: String?
  /// What is odd about it, in words: that it is a fault, or that a cell is stale.
  package var remark: String?
}

/// A header or a row of a list.
package enum ListItem: Hashable {
  case section(String)
  case row(RowKey)
}
