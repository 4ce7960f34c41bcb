import FetchedResults
import Foundation
import Synchronization

/// Counts the memory that a session's objects and variables take, so that a script which takes too
/// much can be stopped before the system stops the program.
///
/// It is an estimate of what stays: what a statement needs while it runs, and gives back, does not
/// count. What a deleted object took is not given back, since undo keeps it.
package final class MemoryMeter: Sendable {
  private let used = Atomic(0)

  /// Creates a meter of sessions in which nothing has run.
  package init() {}

  /// How many bytes are in use, about.
  package var bytes: Int { used.load(ordering: .relaxed) }

  /// Notes an object that was made.
  func noteObject(_ values: some Sequence<PropertyValue>) {
    add(values.reduce(Self.bytesPerObject) { $0 + Self.bytes(of: $1) })
  }

  /// Notes a value that an object or a variable got.
  func note(_ value: PropertyValue) { add(Self.bytes(of: value)) }

  private func add(_ count: Int) { used.wrappingAdd(count, ordering: .relaxed) }

  /// What an object takes without its values: itself, its places in the tables of the context and
  /// of undo, and in the results of a controller.
  private static let bytesPerObject = 300

  private static func bytes(of value: PropertyValue) -> Int {
    switch value {
    case .string(let text): text.utf8.count + 16
    case .data(let data): data.count + 16
    case .uri(let uri): uri.absoluteString.utf8.count + 16
    case .list(let elements): elements.reduce(16) { $0 + bytes(of: $1) }
    case .null, .bool, .int, .double, .date, .decimal, .uuid, .object: 16
    }
  }
}
