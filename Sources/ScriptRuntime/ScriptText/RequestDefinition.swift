package import FetchedResults

/// A request, with all settings that a controller needs.
package struct RequestDefinition {
  package var request: FetchRequest
  package var sectionNameKeyPath: String?
  package var cacheName: String?
  package var keepsLimit = false
  package var tracksRelated = false

  package init(request: FetchRequest) { self.request = request }

  /// Creates the definition of a controller.
  init(of controller: FetchedResultsController) {
    request = controller.fetchRequest
    sectionNameKeyPath = controller.sectionNameKeyPath
    cacheName = controller.cacheName
    keepsLimit = controller.keepsFetchLimit
    tracksRelated = controller.tracksRelatedObjects
  }
}
