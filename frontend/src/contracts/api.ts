// Short names for the shapes of the JSON API, which are generated from the server's OpenAPI document.
import type { components } from './generated/api';

type Schemas = components['schemas'];

export type Person = Schemas['Me'];

export type EstateSummary = Schemas['EstateOut'];
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
export type AuditRow = Schemas['AuditRow'];

export type RouteClauses = Schemas['RouteIn'];
export type RoutePatch = Schemas['RoutePatch'];

export type ConversationClauses = Schemas['ConversationBegin'];
export type QueueMessage = Schemas['QueueMessage'];

export type InstanceHosting = Schemas['InstanceHostingOut'];

export type Backup = Schemas['BackupOut'];
export type AttachRequest = Schemas['AttachIn'];
export type RestoreRequest = Schemas['RestoreIn'];
export type AttachOption = NonNullable<AttachRequest['option']>;
export type KeySuite = Estate['key_suite'];

export type ImportRequest = Schemas['ImportIn'];
export type ImportReport = Schemas['ImportOut'];
export type ImportRow = Schemas['ImportRow'];
export type ImportProblem = Schemas['ImportProblem'];
export type ImportWarning = Schemas['ImportWarning'];
export type Sample = Schemas['SampleOut'];

export type Findings = Schemas['FindingsOut'];
export type Finding = Schemas['FindingOut'];
export type FindingSubject = Schemas['SubjectOut'];
export type Severity = Finding['severity'];
export type SuppressionRequest = Schemas['SuppressionIn'];
