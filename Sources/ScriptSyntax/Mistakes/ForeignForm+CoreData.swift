extension ForeignForm {
  /// Forms of Core Data and UIKit.
  static let coreData: [ForeignForm] = [
    form(
      "nsfetchedresultscontroller.deletecache",
      #/NSFetchedResultsController(?:<\w+>)?\.deleteCache\(withName:\s*(.+?)\)/#,
      "write 'delete cache $1'"),
    form(
      "nsfetchedresultscontroller", #/(?:let|var)\s+(\w+)\s*=\s*NSFetchedResultsController\b.*/#,
      "write 'controller $1 = Book sort by title'"),
    form(
      "nsfetchedresultscontroller", #/NSFetchedResultsController\b/#,
      "write 'controller books = Book sort by title'"),
    form(
      "predicate = nspredicate", #/(\w+)\.(?:fetchRequest\.)?predicate\s*=\s*NSPredicate.*/#,
      "write 'change $1 where PREDICATE', and then 'fetch $1'"),
    form(
      "nspredicate",
      #/(?:where\s+)?NSPredicate\(format:\s*"([^"%]*)%(?:@|K|f|l?[di])([^"%]*)",\s*([^,)]+)\).*/#,
      "write the predicate itself after 'where', with the value in it: where $1$3$2"),
    form(
      "nspredicate", #/(?:where\s+)?NSPredicate\((?:format:)?\s*"([^"]*)".*/#,
      "write the predicate itself after 'where': where $1"),
    form(
      "nspredicate", #/NSPredicate\b/#,
      "write a predicate after 'where', such as: fetch Book where pages > 100"),
    form(
      "nscompoundpredicate", #/NSCompoundPredicate\b/#,
      "write AND, OR and NOT in one predicate after 'where'"),
    form(
      "nssortdescriptor",
      #/NSSortDescriptor\(key:\s*"([\w.]+)",\s*ascending:\s*(?:false|NO)\)/#,
      "write 'sort by $1 desc' after the entity"),
    form(
      "nssortdescriptor", #/NSSortDescriptor\((?:key(?:Path)?:)?\s*[\\"]?(?:\w*\.)?([\w.]+).*/#,
      "write 'sort by $1' after the entity"),
    form(
      "sortdescriptors", #/(\w+)\.(?:fetchRequest\.)?sortDescriptors\s*=.*/#,
      "write 'change $1 sort by KEY', and then 'fetch $1'"),
    form(
      "nsbatchdeleterequest", #/NSBatchDeleteRequest\b.*/#,
      "write 'batch delete Book where pages > 100'"),
    form(
      "nsbatchupdaterequest", #/NSBatchUpdateRequest\b.*/#,
      "write 'batch update Book where pages > 100 { pages = 0 }'"),
    form(
      "nsbatchinsertrequest", #/NSBatchInsertRequest\b.*/#,
      "write 'batch insert Book(title: \"Dune\")'"),
    form(
      "nspersistenthistorychangerequest", #/NSPersistentHistoryChangeRequest\b.*/#,
      "write 'history', or 'merge history into main'"),
    form("fetchrequest()", #/(\w+)\.fetchRequest\(\)/#, "write 'request all = $1 sort by KEY'"),
    form(
      "nsfetchrequest", #/NSFetchRequest\b.*?(?:entityName:\s*"(\w+)".*)?$/#,
      "write 'request all = Book sort by title', and then 'fetch all'"),
    form(
      "nsentitydescription", #/NSEntityDescription\.insertNewObject\(forEntityName:\s*"(\w+)".*/#,
      "write 'insert $1()'"),
    form("nsentitydescription", #/NSEntityDescription\b/#, "write 'entity Book { title: String }'"),
    form(
      "nspersistentcontainer", #/NSPersistent(?:CloudKit)?Container\b.*/#,
      "write 'model \"Library.xcdatamodeld\"' and 'store sqlite \"library.sqlite\"'"),
    form(
      "nspersistentstorecoordinator", #/NSPersistentStoreCoordinator\b.*/#,
      "write 'store sqlite \"library.sqlite\"'; a script has one coordinator"),
    form(
      "nsmanagedobjectmodel", #/NSManagedObjectModel\b.*/#,
      "write 'model \"Library.xcdatamodeld\"', or entities"),
    form(
      "nsmanagedobjectcontext", #/(?:let|var)\s+(\w+)\s*=\s*NSManagedObjectContext\b.*/#,
      "write 'context $1'"),
    form(
      "nsmanagedobjectcontext", #/NSManagedObjectContext\b/#,
      "write 'context background'; the context 'main' always exists"),
    form(
      "performbackgroundtask", #/\w+\.performBackgroundTask\b.*/#,
      "write 'context background' once, and then 'perform background { … }'"),
    form("performandwait", #/(\w+)\.performAndWait\b.*/#, "write 'perform { … }'"),
    form(".perform", #/(?:viewContext|context|moc|main)\.perform\b.*/#, "write 'perform { … }'"),
    form(".perform", #/(\w+)\.perform\s*\{.*/#, "write 'perform $1 { … }'"),
    form(
      "automaticallymerges", #/(\w+)\.automaticallyMergesChangesFromParent\s*=\s*true/#,
      "write 'automerge main on'"),
    form(
      "mergepolicy", #/\w*\.?mergePolicy\s*=\s*.*ObjectTrump.*/#, "write 'set policy objectTrump'"),
    form(
      "mergepolicy", #/\w*\.?mergePolicy\s*=\s*.*StoreTrump.*/#, "write 'set policy storeTrump'"),
    form(
      "mergepolicy", #/\w*\.?mergePolicy\s*=\s*.*/#,
      "write 'set policy', and error, storeTrump, objectTrump, overwrite or rollback"),
    form(
      "delegate = self", #/(\w+)\.delegate\s*=.*/#,
      "every controller has a delegate that prints; write 'table view = $1' for a table"),
    form(".delegate", #/(\w+)\.delegate\s*=\s*nil/#, "write 'delegate $1 none'"),
    form(
      ".predicate", #/(\w+)\.(?:fetchRequest\.)?predicate\s*=.*/#,
      "write 'change $1 where PREDICATE', and then 'fetch $1'"),
    form(
      "fetchlimit", #/(\w+)\.(?:fetchRequest\.)?fetchLimit\s*=\s*(\d+)/#,
      "write 'change $1 limit $2'"),
    form("fetchlimit", #/\bfetchLimit\b[:\s=]*(\d+)/#, "write 'limit $1'"),
    form("fetchoffset", #/\bfetchOffset\b/#, "write 'offset 10'"),
    form("fetchbatchsize", #/\bfetchBatchSize\b/#, "write 'batch 20'"),
    form(
      "sectionnamekeypath", #/\bsectionNameKeyPath\b[:\s=]*"?([\w.]*)"?/#,
      "write 'section by KEY'"),
    form("cachename", #/\bcacheName\b\s*[:=]\s*("\w*")?/#, "write 'cache \"NAME\"'"),
    form(
      "propertiestofetch", #/\bpropertiesToFetch\b/#,
      "not in frc; 'values' comes nearest: fetch Book values title, pages"),
    form("propertiestogroupby", #/\bpropertiesToGroupBy\b/#, "write 'group by KEY'"),
    form("returnsdistinctresults", #/\breturnsDistinctResults\b.*/#, "write 'distinct'"),
    form(
      "relationshipkeypathsforprefetching", #/\brelationshipKeyPathsForPrefetching\b.*/#,
      "write 'prefetch author'"),
    form(
      "resulttype", #/\bresultType\b.*/#,
      "write 'values title' for dictionaries, or 'returning objectIDs'"),
    form(
      "includessubentities", #/\bincludesSubentities\b.*/#,
      "write 'Book.self' for the objects of Book without its sub-entities"),
    form(
      "indexpath(row", #/(\w+)\.object\(at:\s*IndexPath\(row:\s*(\w+),\s*section:\s*(\w+)\)\)/#,
      "write '$1[$3, $2]'"),
    form(
      "indexpath(", #/IndexPath\((?:row|item):\s*(\w+),\s*section:\s*(\w+)\)/#,
      "an index path is the section and the row in brackets; write '[$2, $1]'"),
    form(
      "indexpath(", #/IndexPath\b/#,
      "an index path is the section and the row in brackets, such as books[0, 2]"),
    form(".fetch(", #/\w+\.fetch\((\w+)(?:\(\))?\)/#, "write 'fetch $1'"),
    form(".count(for", #/\w+\.count\(for:\s*(\w+)\)/#, "write 'count $1'"),
    form(
      "setvalue", #/(\S+?)\.setValue\((.+?),\s*forKey(?:Path)?:\s*"([\w.]+)"\)/#,
      "write '$1.$3 = $2'"),
    form("value(forkey", #/(\S+?)\.value\(forKey(?:Path)?:\s*"([\w.]+)"\)/#, "write '$1.$2'"),
    form(
      "primitivevalue", #/(?:setP|p)rimitiveValue\b/#, "write 'self.title', and 'self.title = …'"),
    form(
      "mergechanges(fromcontextdidsave", #/(\w+)\.mergeChanges\(fromContextDidSave:.*/#,
      "write 'merge background into main'"),
    form(
      ".refresh(", #/\w+\.refresh\(([\w\/]+),\s*mergeChanges:\s*true\)/#,
      "write 'refresh $1 merging'"),
    form(".refresh(", #/\w+\.refresh\(([\w\/]+).*\)/#, "write 'refresh $1'"),
    form(
      "object(with", #/\w*\.?(?:existingObject|registeredObject|object)\(with:.*\)/#,
      "an object is written as its entity and its number, such as Book/3"),
    form(".parent =", #/(\w+)\.parent\s*=\s*(\w+)/#, "write 'context $1 parent main'"),
    form(
      "addobserver", #/\w+(?:\.\w+)*\.addObserver\b.*/#, "write 'observe main'"),
    form("addobserver", #/\baddObserver\b.*/#, "write 'observe main'"),
    form("notificationcenter", #/(?:NS)?NotificationCenter\b.*/#, "write 'observe main'"),
    form(
      "setquerygenerationfrom", #/setQueryGenerationFrom\b.*/#,
      "not in frc: each fetch reads the newest saved state"),
    form(
      "controllerdidchangecontent", #/controllerDidChangeContent\b.*/#,
      "write 'delegate books { didChangeContent { … } }'"),
    form(
      "controllerwillchangecontent", #/controllerWillChangeContent\b.*/#,
      "write 'delegate books { willChangeContent { … } }'"),
    form(
      "didchangeobject", #/^\s*delegate\s+(\w+)\s+((?:did|will)Change\w+)\s*\{?/#,
      "a callback has a block inside the delegate's; write 'delegate $1 { $2 { … } }'"),
    form(
      "beginupdates|endupdates|performbatchupdates",
      #/\w*\.?(?:beginUpdates|endUpdates|performBatchUpdates)\b.*/#,
      "a table does this itself: write 'table view = books'"),
    form(
      "tableview.", #/\btableView\.(\w+)Rows\b.*/#,
      "write the reaction in the table: table view = books { $1 $1Rows }"),
    form("uitableview", #/\bUI(?:TableView|CollectionView)\w*/#, "write 'table view = books'"),
    form(
      "diffabledatasource", #/\w*DiffableDataSource\w*/#,
      "not in frc; 'delegate books snapshot' comes nearest"),
    form(
      "cloudkit", #/\w*CloudKit\w*/#, "not in frc; 'extension { … }' is another process that saves"),
    form("nsundomanager", #/\b(?:NS)?UndoManager\b.*/#, "write 'undo' or 'redo'"),
    form(
      "migrat", #/\b(?:NSMappingModel|NSMigrationManager|NSEntityMigrationPolicy)\b.*/#,
      "not in frc; 'store sqlite \"library.sqlite\" migrate' migrates a file by its model"),
    form("deleterule", #/\bdeleteRule\s*[:=]?\s*\.?(\w+)/#, "write 'on delete $1'"),
    form("inverse:", #/\binverse:\s*\\?\w*\.?(\w+)/#, "write 'inverse $1'"),
    form("optional", #/\boptional\s+(\w+)\s*:\s*(\w+)/#, "write '$1: $2?'"),
    form("default", #/\b(\w+)\s*:\s*(\w+)\s+default\s+(\S+)/#, "write '$1: $2 = $3'"),
    form(
      "relationship ", #/\b(?:attribute|relationship|property)\s+(\w+)\s*:\s*(\S+)/#,
      "write '$1: $2'"),
    form("attribute ", #/\b(?:attribute|property)\s+(\w+)\s*:\s*(\S+)/#, "write '$1: $2'"),
    form("tomany", #/\btoMany\s+(\w+)\s*:\s*(\w+)/#, "write '$1: [$2]'"),
    form("toone", #/\btoOne\s+(\w+)\s*:\s*(\w+)/#, "write '$1: $2?'"),
    form("@\"", #/@("[^"]*")/#, "write $1 without '@'"),
    form("[", #/^\s*\[+[a-z]\w* \w+.*/#, "write statements of frc, such as 'fetch books'"),
  ]
}
