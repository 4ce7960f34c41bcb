/// The recorder for apps, as a Swift file.
package enum RecorderSource {
  /// The file's text.
  package static let text = PackageResources.FetchedResultsRecorder_swift_txt
}
