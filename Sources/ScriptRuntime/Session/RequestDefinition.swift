package import FetchedResults

/// A request with everything that a controller needs besides.
package struct RequestDefinition {
  package var request: FetchRequest
  package var sectionNameKeyPath: String?
  package var cacheName: String?
}
