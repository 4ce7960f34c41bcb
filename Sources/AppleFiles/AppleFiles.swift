/// Files of Swift that `frc swift` prints, for an app on an Apple system.
package enum AppleFiles {
  /// Random turns for Apple's NSFetchedResultsController and a list of the user's.
  package static var fuzzer: String {
    String(decoding: PackageResources.ListFuzzer_swift_txt, as: UTF8.self)
  }
}
