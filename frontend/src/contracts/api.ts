// Short names for the shapes of the JSON API, which are generated from the server's OpenAPI document.
import type { components, operations } from './generated/api';

type Schemas = components['schemas'];

export type Person = Schemas['Me'];
export type Right = Schemas['Right'];
export type Role = Schemas['Role'];
export type Preferences = Schemas['Preferences'];
export type PreferencesPatch = Schemas['PreferencesPatch'];
export type User = Schemas['UserOut'];
export type UserRequest = Schemas['UserIn'];
export type UserPatch = Schemas['UserPatch'];
export type AccountChange = Schemas['AccountChangeOut'];
export type Token = Schemas['TokenOut'];
export type TokenMade = Schemas['TokenMade'];
export type TokenRequest = Schemas['TokenIn'];
export type PasswordRequest = Schemas['PasswordIn'];

export type Estate = Schemas['TopologyOut'];
export type Instance = Schemas['InstanceOut'];
export type Endpoint = Schemas['EndpointOut'];
export type EndpointPatch = Schemas['EndpointPatch'];
export type ShownCertificate = Schemas['ShownCertificateOut'];
export type KnownPeer = Schemas['KnownPeerOut'];
export type ConnectPermissionVerb = Schemas['ConnectPermissionIn']['verb'];
export type Database = Schemas['DatabaseOut'];
export type Permission = Schemas['PermissionOut'];
export type PermissionVerb = Schemas['PermissionIn']['verb'];
export type Service = Schemas['ServiceOut'];
export type Route = Schemas['RouteOut'];
/** Which change set is on view, and how far it has come. */
export type Draft = Schemas['DraftTag'];
export type DraftObject = Schemas['DraftObjectOut'];

export type ChangeSet = Schemas['ChangeSetOut'];
export type ChangeSetListed = Schemas['ChangeSetListed'];
export type ChangeSetState = ChangeSet['state'];
export type MergedObject = Schemas['MergedObjectOut'];
export type MergedField = Schemas['MergedFieldOut'];
export type ConflictDecision = Schemas['ConflictIn'];
export type DraftCommand = Schemas['DraftCommandOut'];
export type RevisionListed = Schemas['RevisionListed'];
export type AuditPage = Schemas['AuditPage'];
export type AuditRow = Schemas['AuditRow'];

export type RouteClauses = Schemas['RouteIn'];
export type RoutePatch = Schemas['RoutePatch'];

export type ConversationClauses = Schemas['ConversationBegin'];
export type QueueMessage = Schemas['QueueMessage'];

export type TrafficRun = Schemas['TrafficOut'];
export type TrafficRequest = Schemas['TrafficIn'];
export type TrafficPair = Schemas['TrafficPairShape'];
export type TrafficOffer = Schemas['TrafficOfferOut'];
export type TrafficFigures = Schemas['TrafficFiguresOut'];

export type Lake = Schemas['LakeOut'];
export type InstanceInLake = Schemas['LakeInstanceOut'];
export type Run = Schemas['PipelineRunOut'];
export type RunJob = Run['job'];
export type RunRequest = Schemas['PipelineRunIn'];
export type RunEstimate = Schemas['EstimateOut'];
export type ResultColumn = Schemas['AnalysisColumnOut'];
export type ResultPage = Schemas['TablePage'];
export type ResultSums = Schemas['TableSums'];
export type RunSample = Schemas['ConversationSampleOut'];
export type RunSampleVerdict = Schemas['SampleVerdict'];

export type InstanceHosting = Schemas['InstanceHostingOut'];

export type Backup = Schemas['BackupOut'];
export type AttachRequest = Schemas['AttachIn'];
export type RestoreRequest = Schemas['RestoreIn'];
export type AttachOption = NonNullable<AttachRequest['option']>;
export type KeySuite = Estate['key_suite'];

export type ScriptAsked = NonNullable<operations['script_read']['parameters']['query']>;

export type ImportRequest = Schemas['ImportIn'];
export type ImportReport = Schemas['ImportOut'];
export type ImportRow = Schemas['ImportRow'];
export type ImportProblem = Schemas['ImportProblem'];
export type ImportWarning = Schemas['ImportWarning'];
export type ImportBacklog = Schemas['ImportBacklog'];
export type Job = Schemas['JobOut'];

export type Findings = Schemas['FindingsOut'];
export type Finding = Schemas['FindingOut'];
export type FindingCount = Schemas['FindingCountOut'];
export type FindingSubject = Schemas['SubjectOut'];
export type Severity = Finding['severity'];
/** A finding in one line. */
export type FindingLine = Schemas['FindingLine'];
/** The finding of a key, or all findings of a code. */
export type FixAsked = { key: string } | { code: string };
export type FixPreview = Schemas['FixPreview'];
export type DraftFindings = Schemas['DraftFindingsOut'];
export type FindingCounts = Schemas['FindingCounts'];
export type ObjectChange = Schemas['AuditObjectOut'];
export type SuppressionRequest = Schemas['SuppressionIn'];

export type ObjectPage = Schemas['ObjectPage'];
export type ListedObject = Schemas['ListedOut'];
export type ObjectDetails = Schemas['ObjectOut'];
export type ObjectName = Schemas['ObjectNameIn'];
export type ObjectsEditRequest = Schemas['ObjectsEditIn'];
export type ObjectsEdited = Schemas['ObjectsEdited'];
export type EditedObject = Schemas['EditedOut'];
export type ObjectRequest = Schemas['ObjectIn'];

export type ConversationForecast = Schemas['ForecastOut'];
export type TransmissionExplained = Schemas['TransmissionExplained'];
export type DecisionTold = Schemas['DecisionTold'];
export type ConversationNamed = Schemas['ConversationNamed'];
export type ConversationEndResult = Schemas['ConversationEndResult'];
export type TransmissionRetryResult = Schemas['TransmissionRetryResult'];
export type GroupRetry = Schemas['GroupRetry'];
export type TransmissionBody = Schemas['TransmissionBody'];

export type FlowQuestion = Schemas['FlowQuestionOut'];
export type Fault = Schemas['FaultOut'];
export type FaultKind = Schemas['FaultKind'];
export type WhatIfBasis = Schemas['BasisIn'];
export type WhatIfRequest = Schemas['WhatIfIn'];
export type WhatIf = Schemas['WhatIfOut'];
export type ToldAnswer = Schemas['ToldAnswer'];
export type ToldLeg = Schemas['ToldLeg'];
export type ToldWay = Schemas['ToldWay'];
export type ToldHop = Schemas['ToldHop'];
export type ToldNumber = Schemas['ToldNumber'];
export type ToldLoss = Schemas['ToldLoss'];
export type RouteLine = Schemas['RouteLineOut'];
export type Disposition = Schemas['Disposition'];
export type Light = Schemas['Light'];
export type LegKind = Schemas['LegKind'];
export type WhatIfComparison = Schemas['ComparisonOut'];
export type WhatIfComparisonRequest = Schemas['ComparisonIn'];
export type ToldDifference = Schemas['ToldDifference'];
export type ToldStep = Schemas['ToldStep'];
export type ToldStepChange = Schemas['ToldStepChange'];
export type FlowChange = Schemas['FlowChange'];
export type WhatIfTriptych = Schemas['TriptychOut'];
export type WhatIfExample = Schemas['ExampleOut'];
export type FlowMatrix = Schemas['MatrixOut'];
export type FlowCells = Schemas['FlowCellsOut'];
export type FlowCell = Schemas['CellOut'];
export type FlowFuture = Schemas['FutureOut'];
export type FutureEvent = Schemas['FutureEventOut'];
export type Assertion = Schemas['AssertionOut'];
export type AssertionPage = Schemas['AssertionPageOut'];
export type AssertionState = Assertion['state'];
export type AssertionResult = Schemas['AssertionResultOut'];
export type AssertionRequest = Schemas['AssertionIn'];
export type AssertionPatch = Schemas['AssertionPatch'];
export type AssertionRun = Schemas['AssertionRunOut'];
export type AssertionRunSummary = Schemas['AssertionRunSummary'];
export type AssertionsRunRequest = Schemas['AssertionsRunIn'];
export type AssertionsBulk = Schemas['BulkIn'];
export type Expected = Schemas['ExpectedOut'];
export type PastVerdict = Schemas['PastVerdictOut'];
export type Coverage = Schemas['CoverageOut'];
export type FlowImpactRow = Schemas['FlowImpactRow'];
export type DraftFlow = Schemas['DraftFlowOut'];
export type DraftFlows = Schemas['DraftFlowsOut'];

export type TableQuestion = Schemas['TableQuestionOut'];
export type TableParameter = Schemas['ParameterOut'];
export type TableRequest = Pick<Schemas['TableQuestionIn'], 'parameters' | 'after' | 'before'>;
export type TableAnswer = Schemas['TableOut'];
export type TableColumn = Schemas['ColumnOut'];
export type TableNote = Schemas['NoteOut'];
export type ChangedRow = Schemas['ChangedRowOut'];

export type TrainingCard = Schemas['CardOut'];
export type TrainingMode = Schemas['Mode'];
export type TrainingSession = Schemas['SessionOut'];
export type TrainingTask = Schemas['TaskOut'];
export type TrainingGrading = Schemas['GradingOut'];
export type TrainingClock = Schemas['ClockOut'];
export type TrainingNotice = Schemas['NoticeOut'];
export type TrainingServer = Schemas['ServerOut'];
export type TrainingStep = Schemas['StepOut'];
export type TrainingEnd = Schemas['RunEndOut'];
export type TrainingLessonNamed = Schemas['LessonNamed'];
export type TrainingLessonBlock = Schemas['LessonBlockOut'];
export type TrainingScene = Schemas['SceneOut'];
export type TrainingOutput = Schemas['ScriptRunOut']['outputs'][number];
export type TrainingFault = Schemas['OwnFaultOut'];
export type TrainingMemberScenario = Schemas['MemberScenarioOut'];
export type TrainingGroup = Schemas['GroupOut'];
