// A test of a list names the controller, its objects and its delegate.
@_exported public import FetchedResults
