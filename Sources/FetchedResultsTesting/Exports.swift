// A test of a list uses the controller and its objects, so importing this module imports the
// engine.
@_exported public import FetchedResults
