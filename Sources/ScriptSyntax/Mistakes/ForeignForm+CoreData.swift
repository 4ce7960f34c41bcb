extension ForeignForm {
  /// Forms of Core Data and UIKit.
  static let coreData: [ForeignForm] = [
    form(
      "nsfetchedresultscontroller.deletecache",
      #/NSFetchedResultsController(?:<\w+>)?\.deleteCache\(withName:\s*(.+?)\)/#,
      "write 'delete cache $1'"),
    form(
      "nsfetchedresultscontroller",
      #/(?:(?:let|var)\s+|^\s*(?:self\.)?)(\w+)\s*=\s*NSFetchedResultsController\b.*/#,
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
      "fetchdescriptor", #/\bFetchDescriptor<(\w+)>.*/#,
      "write 'request all = $1 sort by KEY', and then 'fetch all'"),
    form(
      "$0.", #/\bwhere\s+\{?\s*\$0\.([^$}]+?)\s*\}?\s*$/#,
      "write the attribute itself: where $1"),
    form(
      "#predicate", #/[#]Predicate\b.*/#,
      "write the predicate itself after 'where', as for NSPredicate: where pages > 100"),
    form(
      "nssortdescriptor",
      #/NSSortDescriptor\(key:\s*"([\w.]+)",\s*ascending:\s*(?:false|NO)\)/#,
      "write 'sort by $1 desc' after the entity"),
    form(
      "nssortdescriptor", #/NSSortDescriptor\((?:key(?:Path)?:)?\s*[\\"]?(?:\w*\.)?([\w.]+).*/#,
      "write 'sort by $1' after the entity"),
    form(
      "sortdescriptor",
      #/\bSortDescriptor\(\s*\\?(?:[A-Z]\w*)?\.?([\w.]+),\s*order:\s*\.reverse\b.*/#,
      "write 'sort by $1 desc' after the entity"),
    form(
      "sortdescriptor", #/\bSortDescriptor\(\s*\\?(?:[A-Z]\w*)?\.?([\w.]+).*/#,
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
    form(
      "fetchrequest()",
      #/(?:(?:let|var)\s+\w+\s*(?::[^=]*)?=\s*)?(\w+)\.fetchRequest\(\)/#,
      "write 'request all = $1 sort by KEY'"),
    form(
      "nsfetchrequest", #/NSFetchRequest\b.*?(?:entityName:\s*"(\w+)".*)?$/#,
      "write 'request all = Book sort by title', and then 'fetch all'"),
    form(
      "nsentitydescription", #/NSEntityDescription\.insertNewObject\(forEntityName:\s*"(\w+)".*/#,
      "write 'insert $1()'"),
    form("nsentitydescription", #/NSEntityDescription\b/#, "write 'entity Book { title: String }'"),
    form(
      "nspersistentcontainer|nspersistentcloudkitcontainer",
      #/NSPersistent(?:CloudKit)?Container\b.*/#,
      "write 'model \"Library.xcdatamodeld\"' and 'store sqlite \"library.sqlite\"'"),
    form(
      "modelcontainer", #/\bModelContainer\b.*/#,
      "write 'entity Book { title: String }' and 'store sqlite \"library.sqlite\"'"),
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
    form(
      "fetchoffset", #/(\w+)\.(?:fetchRequest\.)?fetchOffset\s*=\s*(\d+)/#,
      "write 'change $1 offset $2'"),
    form(
      "fetchbatchsize", #/(\w+)\.(?:fetchRequest\.)?fetchBatchSize\s*=\s*(\d+)/#,
      "write 'change $1 batch $2'"),
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
    form(
      ".insert(", #/(?:\w*[cC]ontext|moc)\.insert\(\s*([A-Z]\w*\(.*\))\s*\)/#,
      "write 'insert $1'"),
    form(
      ".insert(", #/(?:\w*[cC]ontext|moc)\.insert\(.*/#, "write 'insert Book(title: \"Dune\")'"),
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
    form("undomanager", #/\b(?:NS)?UndoManager\b.*/#, "write 'undo' or 'redo'"),
    form(
      "migrat|nsmappingmodel",
      #/\b(?:NSMappingModel|NSMigrationManager|NSEntityMigrationPolicy)\b.*/#,
      "not in frc; 'store sqlite \"library.sqlite\" migrate' migrates a file by its model"),
    form("deleterule", #/\bdeleteRule\s*[:=]?\s*\.?(\w+)/#, "write 'on delete $1'"),
    form("inverse:", #/\binverse:\s*\\?\w*\.?(\w+)/#, "write 'inverse $1'"),
    form("optional", #/\boptional\s+(\w+)\s*:\s*(\w+)/#, "write '$1: $2?'"),
    form("default", #/\b(\w+)\s*:\s*(\w+)\s+default\s+(\S+)/#, "write '$1: $2 = $3'"),
    form(
      "relationship ", #/\b(?:attribute|relationship|property)\s+(\w+)\s*:\s*(\S+)/#,
      "write '$1: $2'"),
    form(
      "attribute |property ", #/\b(?:attribute|property)\s+(\w+)\s*:\s*(\S+)/#,
      "write '$1: $2'"),
    form("tomany", #/\btoMany\s+(\w+)\s*:\s*(\w+)/#, "write '$1: [$2]'"),
    form("toone", #/\btoOne\s+(\w+)\s*:\s*(\w+)/#, "write '$1: $2?'"),
    form("@\"", #/@("[^"]*")/#, "write $1 without '@'"),
    form(
      "<", #/^\s*<(?:\?xml|\/?(?:model|entity|attribute|relationship|elements?|fetch\w+)\b).*/#,
      "a script has no XML; 'model \"Library.xcdatamodeld\"' reads a model of Xcode"),
    form("[", #/^\s*\[+[a-z]\w* \w+.*/#, "write statements of frc, such as 'fetch books'"),
  ]
}

extension ForeignForm {
  /// Forms that are close to a statement of frc, but wrong.
  static let frc: [ForeignForm] = [
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*)\s*\(\s*("[^"]*"|\d+)\s*[,)].*/#,
      "a value has the name of its property; write 'insert $1(title: $2)'"),
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*)\s*\{\s*(\w+)\s*[:=]\s*([^,}]+?)\s*[,}].*/#,
      "write 'insert $1($2: $3)'"),
    form("insert", #/^\s*insert\s+([A-Z]\w*)\s+(\w+)\s*[:=]\s*(.+)/#, "write 'insert $1($2: $3)'"),
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*)\s+([a-z]\w*)\s+("[^"]*"|[-@\d]\S*|true|false|nil)\s*$/#,
      "write 'insert $1($2: $3)'"),
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*\(.*?\))\s*,\s*([A-Z]\w*\(.*)/#,
      "'insert' makes objects of one description; write 'perform { insert $1; insert $2 }'"),
    form("insert", #/^\s*insert\s+new\s+(.+)/#, "write 'insert $1'"),
    form(
      "insert", #/^\s*insert\s+an?\s+(\w+)/#,
      "an object is made by the name of its entity; write 'insert Book(title: \"Dune\")'"),
    form("delete", #/^\s*delete\s+(?:all|every)\s+([A-Z]\w*)/#, "write 'delete $1'"),
    form("fetch", #/^\s*fetch\s+(?:all|every)\s+([A-Z]\w*)/#, "write 'fetch $1'"),
    form(
      " from ",
      #/^\s*(?:try\s+)?(fetch|count|update|batch\s+delete|batch\s+update)\s+from\s+([A-Z]\w*)(.*)/#,
      "write '$1 $2$3'"),
    form(
      "sort by", #/\bsort\s+by\s+["']([\w.]+)["']/#, "a key path has no quotes; write 'sort by $1'"),
    form(
      "section by", #/\bsection\s+by\s+["']([\w.]+)["']/#,
      "a key path has no quotes; write 'section by $1'"),
    form(
      "section by", #/^\s*controller\s+\w+\s*=\s*\w+\s+section\s+by\s+([\w.]+)\s*$/#,
      "$0; write 'sort by $1 section by $1'"
    ).finding(.uses),
    form("controller", #/^\s*controller\s+\w+\s*=\s*([A-Z]\w*)\s*$/#, "$0; write '$1 sort by KEY'")
      .finding(.uses),
    form(
      "controller", #/^\s*controller\s+([A-Z]\w*)\s.*/#, "write 'controller NAME = $1 sort by KEY'"),
    form(
      "controller", #/^\s*controller\s+(\w+)\s+of\s+([A-Z]\w*)(.*)/#, "write 'controller $1 = $2$3'"
    ),
    form(
      "controller", #/^\s*controller\s+(\w+)\s*:\s*([A-Z]\w*)(.*)/#, "write 'controller $1 = $2$3'"),
    form(
      "sort ", #/^\s*sort\s+([A-Z]\w*)\s+by\s+(.+)/#, "write 'fetch $1 sort by $2'"),
    form(
      "sort ", #/^\s*sort\s+(?!by\b)(\w+)\s+by\s+(.+)/#,
      "write 'change $1 sort by $2', and then 'fetch $1'"),
    form(
      "performfetch", #/^\s*performFetch(?:\(\))?\s*$/#,
      "write 'fetch' and the name of a controller, such as 'fetch books'"),
    form("performfetch", #/^\s*performFetch\s+(\w+)\s*$/#, "write 'fetch $1'"),
    form(
      "==", #/^\s*([A-Za-z]\w*(?:\/\d+)?\.[\w.]+)\s*==\s*(.+)/#,
      "'==' compares; write '$1 = $2' to set the value, or 'print $1 == $2' to compare it"),
    form(
      "/", #/^\s*([a-z])(\w*)\/(\d+)\.(.+)/#,
      "the name of an entity begins with a capital letter; write '$^1$2/$3.$4'"),
    form("sort ", #/\bsort\s+(?!by\b)([\w.]+)/#, "write 'sort by $1'").finding(.syntax),
    form("section ", #/\bsection\s+(?!by\b)([\w.]+)/#, "write 'section by $1'").finding(.syntax),
    form("filter", #/\bfilter\s+(?:by\s+)?(.+)/#, "write 'where $1'").finding(.syntax),
    form("having", #/^\s*fetch\s+([A-Z]\w*)\s+having\s+(.+)/#, "$0; write 'where $2'"),
    form("when", #/^\s*fetch\s+([A-Z]\w*)\s+(?:when|if|with)\s+(.+)/#, "write 'fetch $1 where $2'"),
    form("with", #/^\s*fetch\s+([A-Z]\w*)\s+(?:with|if)\s+(.+)/#, "write 'fetch $1 where $2'"),
    form("if", #/^\s*fetch\s+([A-Z]\w*)\s+if\s+(.+)/#, "write 'fetch $1 where $2'"),
    form(
      "=", #/\bwhere\s+(\w+)\s*===?\s*(?!(?i:nil|null|true|false|yes|no|self)\b)([A-Za-z]\w*)\s*$/#,
      "$0; a text needs quotes: $1 == \"$2\""
    ).finding(.groups),
    form(
      "=", #/\bwhere\s+(\w+)\s*=\s*(?!(?i:nil|null|true|false|yes|no|self)\b)([A-Za-z]\w*)\s*$/#,
      "$0; a text needs quotes: $1 == \"$2\""
    ).finding(.groups),
    form(
      "where",
      #/\w\s+where\s+(?!(?i:true|false|nil|null|yes|no|self|not)\b)([a-z]\w*(?:\.\w+)*)\s*$/#,
      "$0; for a Bool write $1 == true"
    ).finding(.syntax),
    form(
      "where", #/\w\s+where\s+(?:!\s*|(?i:not)\s+)([a-z]\w*(?:\.\w+)*)\s*$/#,
      "$0; for a Bool write $1 == false"
    ).finding(.syntax),
    form(
      "where", #/\bwhere\s+"([^"]*\s[^"]*)"\s*$/#,
      "a predicate has no quotes around it: where $1"
    ).finding(.syntax),
    form(
      "contains|beginswith|endswith|like|matches",
      #/(?i)\b(contains|beginswith|endswith|like|matches)(\[\w+\])?\s+([A-Za-z]\w*)\s*$/#,
      "$0; a text needs quotes: $1$2 \"$3\""
    ).finding(.groups),
    form("cache ", #/\bcache\s+([A-Za-z]\w*)/#, "$0; a text needs quotes: cache \"$1\"")
      .finding(.groups),
    form(
      "extension ", #/^\s*extension\s+([A-Za-z]\w*)\s*\{/#,
      "$0; a text needs quotes: extension \"$1\""
    ).finding(.groups),
    form(
      "update ", #/^\s*update\s+([A-Z]\w*\/\d+)\s*\{\s*([a-z]\w*)\s*[=:]\s*([^,;}]+?)\s*\}?\s*$/#,
      "write '$1.$2 = $3'"
    ).finding(.syntax),
    form("where", #/\bwhere\s*$/#, "write a predicate after 'where', such as pages > 100"),
    form(
      "entity", #/^\s*entity\s+([A-Z]\w*)\s*\((.+)\)\s*$/#,
      "properties are in braces; write 'entity $1 { $2 }'"),
    form(
      "entity",
      #/\bentity\s+[A-Z]\w*\s*\{[^}]*?\b(\w+)\s*=\s*(String|Int|Double|Date|Bool|Data|UUID)\b/#,
      "write '$1: $2'"),
    form(
      "entity", #/\bentity\s+[A-Z]\w*\s*\{[^}:]*?\b(String|Int|Double|Date|Bool)\s+(\w+)/#,
      "write '$2: $1'"),
    form(
      "entity",
      #/\bentity\s+[A-Z]\w*\s*\{[^}:]*?\b(\w+)\s+(String|Int|Double|Date|Bool)\b/#,
      "write '$1: $2'"),
    form(
      "entity", #/\bentity\s+([A-Z]\w*)\s+(?:extends|inherits|from|is)(?:\s+from)?\s+([A-Z]\w*)/#,
      "write 'entity $1: $2 { … }'"),
    form("ordered [", #/:\s*ordered\s+(\[\w+\])/#, "write '$1 ordered'"),
    form(
      "cascade|deny|noaction|nullify",
      #/(?:[\]?]|\binverse\s+\w+|:\s*[A-Z]\w*)\s+(?:\w*[Dd]elete\s*[:=]?\s*)?\.?(cascade|deny|noAction|nullify)\b/#,
      "write 'on delete $1'"
    ).finding(.syntax),
    form(
      "unique", #/\b(\w+)\s*:\s*[A-Z]\w*\??(?:\s+\w+)*\s+unique\b/#,
      "'unique' is a part of the entity: write 'unique $1' after the property"
    ).finding(.syntax),
    form(
      "required|not null", #/:\s*([A-Z]\w*)\s+(?i:required|not\s+null)\b/#,
      "a property without '?' is required; write '$1'"
    ).finding(.syntax),
    form(
      "min|max|matching",
      #/:\s*[A-Z]\w*\??(?:\s[^,;{}]*)?\s(min|max|matching)\s*[:=]\s*([^\s,;}A-Z\[][^\s,;}]*)/#,
      "write '$1 $2'"
    ).finding(.syntax),
    form(
      "entity", #/\bentity\s[^{]*\{.*:\s*\[?[A-Z]\w*\]?\??\s+(\w+)\s*:\s*[A-Z\[]/#,
      "write ',' before '$1'"
    ).finding(.syntax),
    form("/", #/(?:^|[\s(,=])([A-Z]\w*)\/([a-z]\w*)\b/#, "an object has a number; write '$1/1'"),
    form("#", #/([A-Z]\w*)#(\d+)/#, "write '$1/$2'"),
    form("[", #/\b([A-Z]\w*)\[(\d+)\]/#, "an object is the entity and its number; write '$1/$2'"),
    form("(", #/\b([A-Z]\w*)\((\d+)\)/#, "an object is the entity and its number; write '$1/$2'"),
    form(
      "[", #/\b([a-z]\w*)\[(\d+)\](?!\s*=)/#,
      "an index path has a section and a row; write '$1[0, $2]'"
    ).finding(.uses),
    form("merge", #/^\s*merge\s+(\w+)\s*$/#, "write 'merge $1 into main'"),
    form("perform on", #/^\s*perform\s+(?:on|in)\s+(\w+)\s*\{/#, "write 'perform $1 { … }'"),
    form("repeat", #/^\s*repeat\s*\{/#, "'repeat' needs a number; write 'repeat 10 { … }'"),
    form("table", #/^\s*table\s+(\w+)\s*$/#, "write 'table view = $1'"),
    form("table", #/^\s*table\s+(\w+)\s+(?:of|for)\s+(\w+)/#, "write 'table $1 = $2'"),
    form("context", #/^\s*context\s+(\w+)\s*=.*/#, "write 'context $1'"),
    form(
      "show all|show everything", #/^\s*show\s+(?:all|everything)\b/#,
      "write 'objects Book', or 'show books' for a controller"),
    form(
      "show", #/^\s*show\s+([A-Z]\w*)\s*$/#,
      "'show' is for controllers and tables; write 'objects $1'"
    ).finding(.groups),
    form("list", #/^\s*list\s+([A-Z]\w*)/#, "write 'objects $1'"),
    form("why", #/^\s*why\b\s*(\S*?)\??\s*$/#, "write 'explain $1'"),
    form("explain", #/^\s*explain\s+callbacks?\b.*/#, "write 'explain'"),
    form(
      "record|play|share|timeline|goto|predict|mode",
      #/^\s*(record|play|share|timeline|goto|predict|mode)\s+(\S+)\s*$/#,
      "write ':$1 $2' at the prompt"),
    form("now", #/[=(]\s*now\s*(?:$|\))/#, "$0; the time is 'now()'"),
    form("19|20", #/(?:^|[^@\d"'])(\d{4}-\d{2}-\d{2})\b/#, "$0; a date begins with '@': @$1"),
    form("19|20", #/(?:^|[^@\d"'])(\d{4}-\d{2}-\d{2})\b/#, "$0; a date begins with '@': @$1")
      .finding(.uses),
  ]
}
