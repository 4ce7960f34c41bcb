public import Foundation

/// An error of a controller, with the text that Apple's controller raises or reports.
public enum FetchedResultsError: Error, Hashable, Sendable {
  /// A request without sort descriptors was given.
  case missingSortDescriptors
  /// The request is for dictionaries, and a delegate tracks changes.
  case dictionaryResultsWithTracking
  /// The request does not return objects.
  case otherResultType(FetchRequestResultType)
  /// Results were requested before `performFetch`, or after the context was reset.
  case notFetched
  /// The section has no object at the index.
  case noObject(index: Int, section: Int)
  /// There is no section at the index.
  case noSection(index: Int)
  /// A section name occurs again after another one.
  case outOfOrderSection(index: Int, previousName: String)
  /// A section cache of this name was made for another configuration.
  case cacheMismatch(name: String)
  /// The title is not the one at the position in the section index.
  case wrongSectionIndexTitle(String, index: Int)
  /// The results are inconsistent with the objects, and cannot be updated.
  case lostTrack
  /// The fetch failed.
  case fetch(FetchError)
}

extension FetchedResultsError {
  /// The exception that Apple's controller raises, or the error's domain and code; nil for an error
  /// without them.
  public var name: String? {
    switch self {
    case .missingSortDescriptors, .notFetched, .noObject, .dictionaryResultsWithTracking:
      "NSInvalidArgumentException"
    case .noSection, .cacheMismatch, .wrongSectionIndexTitle: "NSInternalInconsistencyException"
    case .outOfOrderSection: "NSCocoaErrorDomain 134060"
    case .lostTrack, .fetch, .otherResultType: nil
    }
  }

  /// The reason, in Apple's words if a public log has them.
  public var reason: String {
    switch self {
    case .missingSortDescriptors:
      "An instance of NSFetchedResultsController requires a fetch request with sort descriptors"
    case .dictionaryResultsWithTracking:
      "NSFetchedResultsController does not support both change tracking and fetch request's with "
        + "NSDictionaryResultType"
    case .otherResultType(let type):
      "a controller's results are objects here, not \(type.rawValue); a fetch returns those"
    case .notFetched: "the controller has no results; performFetch comes first"
    case .noObject(let index, let section):
      "no object at index \(index) in section at index \(section)"
    case .noSection(let index): "no section at index \(index)"
    case .outOfOrderSection(let index, let previousName):
      "The fetched object at index \(index) has an out of order section name '\(previousName). "
        + "Objects must be sorted by section name'"
    case .cacheMismatch:
      "CoreData: FATAL ERROR: The persistent cache of section information does not match the "
        + "current configuration.  You have illegally mutated the NSFetchedResultsController's "
        + "fetch request, its predicate, or its sort descriptor without either disabling caching "
        + "or using +deleteCacheWithName:"
    case .wrongSectionIndexTitle(let title, let index):
      "the section index has no title '\(title)' at index \(index)"
    case .lostTrack: "the results contradict their objects; call performFetch again"
    case .fetch(let error): error.description
    }
  }
}

extension FetchedResultsError {
  /// What Core Data prints on the console before it raises or reports the error; nil if it prints
  /// nothing.
  package var consoleLine: String? {
    switch self {
    case .noObject: "CoreData: error: NSFetchedResultsController: \(reason)"
    case .outOfOrderSection: "CoreData: error: (NSFetchedResultsController) \(reason)"
    case .missingSortDescriptors, .notFetched, .noSection, .cacheMismatch,
      .wrongSectionIndexTitle, .lostTrack, .fetch, .dictionaryResultsWithTracking,
      .otherResultType:
      nil
    }
  }
}

extension FetchedResultsError: CustomStringConvertible {
  /// The exception's name and the reason.
  public var description: String { name.map { "\($0): \(reason)" } ?? reason }
}

// What Foundation's `localizedDescription` of an error says.

extension FetchedResultsError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension SectionedDifference.MismatchError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}
