package io.millrace.gateway.s3.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.IdentityLimitSettings;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.PayloadType;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.object.CopySourceName;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Verifies the actions that each operation needs, as S3 documents them. The gate admits a request with exactly these,
 * and refuses it without any one of them. A new operation fails until it has a row.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html">S3's table</a>
 */
class OperationActionsTest {
    private static final String ACTIONS = """
            CreateBucket: s3:CreateBucket
            CreateBucket x-amz-acl=public-read: s3:CreateBucket s3:PutBucketAcl
            CreateBucket x-amz-bucket-object-lock-enabled=true: s3:CreateBucket s3:PutBucketObjectLockConfiguration
            CreateBucket x-amz-object-ownership=ObjectWriter: s3:CreateBucket s3:PutBucketOwnershipControls
            DeleteBucket: s3:DeleteBucket
            ListObjectsV2: s3:ListBucket
            ListObjects: s3:ListBucket
            ListObjectVersions: s3:ListBucketVersions
            ListMultipartUploads: s3:ListBucketMultipartUploads
            HeadObject: s3:GetObject
            HeadObject ?versionId=1: s3:GetObjectVersion
            GetObject: s3:GetObject
            GetObject ?versionId=1: s3:GetObjectVersion
            PutObject: s3:PutObject
            PutObject x-amz-acl=public-read: s3:PutObject s3:PutObjectAcl
            PutObject ?x-amz-acl=public-read: s3:PutObject s3:PutObjectAcl
            PutObject x-amz-acl=: s3:PutObject
            PutObject ?x-amz-acl=: s3:PutObject
            PutObject x-amz-grant-read=id: s3:PutObject s3:PutObjectAcl
            PutObject x-amz-tagging=a=b: s3:PutObject s3:PutObjectTagging
            PutObject ?X-Amz-Tagging=a: s3:PutObject s3:PutObjectTagging
            PutObject x-amz-object-lock-mode=GOVERNANCE: s3:PutObject s3:PutObjectRetention
            PutObject x-amz-object-lock-legal-hold=ON: s3:PutObject s3:PutObjectLegalHold
            CopyObject: s3:PutObject
            CopyObject x-amz-tagging=a=b: s3:PutObject s3:PutObjectTagging
            CreateMultipartUpload: s3:PutObject
            CreateMultipartUpload x-amz-tagging=a=b: s3:PutObject s3:PutObjectTagging
            UploadPart: s3:PutObject
            UploadPartCopy: s3:PutObject
            CompleteMultipartUpload: s3:PutObject
            ListParts: s3:ListMultipartUploadParts
            AbortMultipartUpload: s3:AbortMultipartUpload
            DeleteObject: s3:DeleteObject
            DeleteObject ?versionId=1: s3:DeleteObjectVersion
            DeleteObject x-amz-bypass-governance-retention=true: s3:DeleteObject s3:BypassGovernanceRetention
            GetBucketAccelerateConfiguration: s3:GetAccelerateConfiguration
            PutBucketAccelerateConfiguration: s3:PutAccelerateConfiguration
            GetBucketAcl: s3:GetBucketAcl
            PutBucketAcl: s3:PutBucketAcl
            GetBucketCors: s3:GetBucketCORS
            PutBucketCors: s3:PutBucketCORS
            DeleteBucketCors: s3:PutBucketCORS
            GetBucketEncryption: s3:GetEncryptionConfiguration
            PutBucketEncryption: s3:PutEncryptionConfiguration
            DeleteBucketEncryption: s3:PutEncryptionConfiguration
            GetBucketLifecycleConfiguration: s3:GetLifecycleConfiguration
            PutBucketLifecycleConfiguration: s3:PutLifecycleConfiguration
            DeleteBucketLifecycle: s3:PutLifecycleConfiguration
            GetBucketLogging: s3:GetBucketLogging
            PutBucketLogging: s3:PutBucketLogging
            GetBucketNotificationConfiguration: s3:GetBucketNotification
            PutBucketNotificationConfiguration: s3:PutBucketNotification
            GetBucketOwnershipControls: s3:GetBucketOwnershipControls
            PutBucketOwnershipControls: s3:PutBucketOwnershipControls
            DeleteBucketOwnershipControls: s3:PutBucketOwnershipControls
            GetBucketPolicy: s3:GetBucketPolicy
            PutBucketPolicy: s3:PutBucketPolicy
            DeleteBucketPolicy: s3:DeleteBucketPolicy
            GetBucketPolicyStatus: s3:GetBucketPolicyStatus
            GetBucketReplication: s3:GetReplicationConfiguration
            PutBucketReplication: s3:PutReplicationConfiguration
            DeleteBucketReplication: s3:PutReplicationConfiguration
            GetBucketRequestPayment: s3:GetBucketRequestPayment
            PutBucketRequestPayment: s3:PutBucketRequestPayment
            GetBucketTagging: s3:GetBucketTagging
            PutBucketTagging: s3:PutBucketTagging
            DeleteBucketTagging: s3:PutBucketTagging
            GetBucketVersioning: s3:GetBucketVersioning
            PutBucketVersioning: s3:PutBucketVersioning
            GetBucketWebsite: s3:GetBucketWebsite
            PutBucketWebsite: s3:PutBucketWebsite
            DeleteBucketWebsite: s3:DeleteBucketWebsite
            GetObjectLockConfiguration: s3:GetBucketObjectLockConfiguration
            PutObjectLockConfiguration: s3:PutBucketObjectLockConfiguration
            GetPublicAccessBlock: s3:GetBucketPublicAccessBlock
            PutPublicAccessBlock: s3:PutBucketPublicAccessBlock
            DeletePublicAccessBlock: s3:PutBucketPublicAccessBlock
            GetBucketAnalyticsConfiguration: s3:GetAnalyticsConfiguration
            PutBucketAnalyticsConfiguration: s3:PutAnalyticsConfiguration
            DeleteBucketAnalyticsConfiguration: s3:PutAnalyticsConfiguration
            ListBucketAnalyticsConfigurations: s3:GetAnalyticsConfiguration
            GetBucketIntelligentTieringConfiguration: s3:GetIntelligentTieringConfiguration
            PutBucketIntelligentTieringConfiguration: s3:PutIntelligentTieringConfiguration
            DeleteBucketIntelligentTieringConfiguration: s3:PutIntelligentTieringConfiguration
            ListBucketIntelligentTieringConfigurations: s3:GetIntelligentTieringConfiguration
            GetBucketInventoryConfiguration: s3:GetInventoryConfiguration
            PutBucketInventoryConfiguration: s3:PutInventoryConfiguration
            DeleteBucketInventoryConfiguration: s3:PutInventoryConfiguration
            ListBucketInventoryConfigurations: s3:GetInventoryConfiguration
            GetBucketMetricsConfiguration: s3:GetMetricsConfiguration
            PutBucketMetricsConfiguration: s3:PutMetricsConfiguration
            DeleteBucketMetricsConfiguration: s3:PutMetricsConfiguration
            ListBucketMetricsConfigurations: s3:GetMetricsConfiguration
            GetObjectAcl: s3:GetObjectAcl
            GetObjectAcl ?versionId=1: s3:GetObjectVersionAcl
            PutObjectAcl: s3:PutObjectAcl
            PutObjectAcl ?versionId=1: s3:PutObjectVersionAcl
            GetObjectAttributes: s3:GetObject s3:GetObjectAttributes
            GetObjectAttributes ?versionId=1: s3:GetObjectVersion s3:GetObjectVersionAttributes
            GetObjectTagging: s3:GetObjectTagging
            GetObjectTagging ?versionId=1: s3:GetObjectVersionTagging
            PutObjectTagging: s3:PutObjectTagging
            PutObjectTagging ?versionId=1: s3:PutObjectVersionTagging
            DeleteObjectTagging: s3:DeleteObjectTagging
            DeleteObjectTagging ?versionId=1: s3:DeleteObjectVersionTagging
            GetObjectRetention: s3:GetObjectRetention
            PutObjectRetention: s3:PutObjectRetention
            PutObjectRetention x-amz-bypass-governance-retention=true: s3:PutObjectRetention s3:BypassGovernanceRetention
            GetObjectLegalHold: s3:GetObjectLegalHold
            PutObjectLegalHold: s3:PutObjectLegalHold
            RestoreObject: s3:RestoreObject
            """;

    /** Operations with rules of their own, which other tests here and in {@link GateMatrixTest} have. */
    private static final Set<S3Operation> OTHERS = EnumSet.of(
            S3Operation.LIST_BUCKETS,
            S3Operation.HEAD_BUCKET,
            S3Operation.GET_BUCKET_LOCATION,
            S3Operation.DELETE_OBJECTS,
            S3Operation.GET_BATCH,
            S3Operation.POST_OBJECT,
            S3Operation.PREFLIGHT_BUCKET,
            S3Operation.PREFLIGHT_OBJECT,
            S3Operation.UNKNOWN);

    @TempDir
    Path folder;

    /** A request of the table, and the actions that it needs. */
    record Row(S3Operation operation, String query, Map<String, String> headers, List<String> actions) {
        static Row parse(String line) {
            String[] sides = line.split(": ", 2);
            String[] words = sides[0].split(" ", 2);
            String more = words.length == 1 ? "" : words[1];
            String[] header = more.split("=", 2);
            return new Row(
                    operation(words[0]),
                    more.startsWith("?") ? more.substring(1) : "",
                    more.isEmpty() || more.startsWith("?") ? Map.of() : Map.of(header[0], header[1]),
                    List.of(sides[1].split(" ")));
        }

        private static S3Operation operation(String name) {
            return Stream.of(S3Operation.values())
                    .filter(operation -> operation.wireName().equals(name))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public String toString() {
            return operation.wireName() + ' ' + query + headers;
        }
    }

    static Stream<Row> rows() {
        return ACTIONS.lines().map(Row::parse);
    }

    @Test
    void everyOperationHasARow() {
        Set<S3Operation> covered = rows().map(Row::operation).collect(Collectors.toSet());

        assertThat(covered).doesNotContainAnyElementsOf(OTHERS);
        assertThat(Stream.of(S3Operation.values()).filter(operation -> !OTHERS.contains(operation)))
                .allSatisfy(operation -> assertThat(covered).contains(operation));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void operationTakesItsActions(Row row) throws Exception {
        String needed = quoted(row.actions());

        assertThat(isAdmitted(row, "'Effect': 'Allow', 'Action': [%s], 'Resource': '*'".formatted(needed)))
                .isTrue();
        assertThat(isAdmitted(row, "'Effect': 'Allow', 'NotAction': [%s], 'Resource': '*'".formatted(needed)))
                .isFalse();
        for (String action : row.actions()) {
            assertThat(isAdmitted(
                            row,
                            ("'Effect': 'Allow', 'Action': '*', 'Resource': '*' }, { 'Effect': 'Deny', 'Action': '%s',"
                                            + " 'Resource': '*'")
                                    .formatted(action)))
                    .as(action)
                    .isFalse();
        }
    }

    static Stream<Arguments> existence() {
        return Stream.of(
                Arguments.of(S3Operation.HEAD_BUCKET, "s3:ListBucket"),
                Arguments.of(S3Operation.GET_BUCKET_LOCATION, "s3:GetBucketLocation"),
                Arguments.of(S3Operation.LIST_BUCKETS, "s3:ListAllMyBuckets"));
    }

    /** The existence of a bucket is known to callers who may do anything in it, unless that is denied. */
    @ParameterizedTest
    @MethodSource("existence")
    void existenceTakesAnyActionButNoDenial(S3Operation operation, String action) throws Exception {
        Row row = new Row(operation, "", Map.of(), List.of());

        assertThat(isAdmitted(row, "'Effect': 'Allow', 'Action': 's3:PutObject', 'Resource': '*'"))
                .isTrue();
        assertThat(isAdmitted(
                        row,
                        ("'Effect': 'Allow', 'Action': 's3:PutObject', 'Resource': '*' }, { 'Effect': 'Deny', 'Action':"
                                        + " '%s', 'Resource': '*'")
                                .formatted(action)))
                .isFalse();
        assertThat(isAdmitted(row, "'Effect': 'Allow', 'Action': '*', 'Resource': 'arn:aws:s3:::another/*'"))
                .isEqualTo(operation == S3Operation.LIST_BUCKETS);
    }

    /** Each key of DeleteObjects takes the action of its own. */
    @Test
    void deletionOfManyKeysTakesTheActionOnEach() throws Exception {
        Row row = new Row(S3Operation.DELETE_OBJECTS, "", Map.of(), List.of());
        AuthorizedRequest request = admit(
                row,
                "'Effect': 'Allow', 'Action': 's3:DeleteObject', 'Resource': 'arn:aws:s3:::bucket/*' }, { 'Effect':"
                        + " 'Deny', 'Action': 's3:*', 'Resource': 'arn:aws:s3:::bucket/kept/*'");

        assertThat(request.canDelete(new ObjectKey("a"), Optional.empty())).isTrue();
        assertThat(request.canDelete(new ObjectKey("kept/a"), Optional.empty())).isFalse();
        assertThat(request.canDelete(new ObjectKey("x/../kept/a"), Optional.empty()))
                .isFalse();
        assertThat(request.canDelete(new ObjectKey("a"), Optional.of("1"))).isFalse();
        assertThat(request.decisions())
                .extracting(ObjectDecision::isAllowed)
                .containsExactly(true, false, false, false);
        assertThat(isAdmitted(row, "'Effect': 'Allow', 'Action': 's3:PutObject', 'Resource': '*'"))
                .isFalse();
    }

    /** Each item of a batch takes the action on its object, whatever bucket that is in, or on its archive. */
    @Test
    void batchTakesTheActionOnEachItem() throws Exception {
        Row row = new Row(S3Operation.GET_BATCH, "", Map.of(), List.of());
        BucketName bucket = new BucketName("bucket");
        AuthorizedRequest request = admit(
                row,
                "'Effect': 'Allow', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::bucket/*' }, { 'Effect':"
                        + " 'Deny', 'Action': 's3:*', 'Resource': 'arn:aws:s3:::bucket/kept/*'");

        assertThat(request.canRead(bucket, new ObjectKey("a"))).isTrue();
        assertThat(request.canRead(bucket, new ObjectKey("kept/a"))).isFalse();
        assertThat(request.canRead(bucket, new ObjectKey("x/../kept/a"))).isFalse();
        assertThat(request.canRead(new BucketName("another"), new ObjectKey("a")))
                .isFalse();
        assertThat(request.canReadMembers(bucket, new ObjectKey("a.tar"))).isTrue();
        assertThat(request.canReadMembers(bucket, new ObjectKey("kept/a.tar"))).isFalse();
        assertThat(request.decisions())
                .extracting(ObjectDecision::isAllowed)
                .containsExactly(true, false, false, false, true, false);
        assertThat(isAdmitted(row, "'Effect': 'Allow', 'Action': 's3:ListBucket', 'Resource': '*'"))
                .isFalse();
    }

    /** A copy reads its source, a version of it by another action, and carries tags along unless it replaces them. */
    @Test
    void copyTakesTheActionOnItsSource() throws Exception {
        String write = "'Effect': 'Allow', 'Action': 's3:PutObject', 'Resource': '*' }, { ";
        String read = write + "'Effect': 'Allow', 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::from/*'";

        assertThat(canCopy("/from/key", read, Map.of())).isTrue();
        assertThat(canCopy("/from/key?versionId=1", read, Map.of())).isFalse();
        assertThat(canCopy("/from/key?versionId=1", read.replace("GetObject", "GetObjectVersion"), Map.of()))
                .isTrue();
        assertThat(canCopy("/other/key", read, Map.of())).isFalse();
        for (String denied : List.of("s3:GetObjectTagging", "s3:PutObjectTagging")) {
            String untagged = read + " }, { 'Effect': 'Deny', 'Action': '%s', 'Resource': '*'".formatted(denied);

            assertThat(canCopy("/from/key", untagged, Map.of())).isFalse();
            assertThat(canCopy("/from/key", untagged, Map.of("x-amz-tagging-directive", "REPLACE")))
                    .isTrue();
        }
    }

    /** An unknown request could do anything that its method allows. */
    @ParameterizedTest
    @MethodSource("unknown")
    void unknownRequestTakesAllActionsOfItsMethod(String method, String target, String actions) throws Exception {
        assertThat(isAdmitted(method, target, Map.of(), "'Effect': 'Allow', 'Action': '*', 'Resource': '*'"))
                .isTrue();
        for (String action : actions.split(" ", -1)) {
            assertThat(isAdmitted(
                            method,
                            target,
                            Map.of(),
                            ("'Effect': 'Allow', 'Action': '*', 'Resource': '*' }, { 'Effect': 'Deny', 'Action': '%s',"
                                            + " 'Resource': '*'")
                                    .formatted(action)))
                    .as(action)
                    .isFalse();
        }
    }

    static Stream<Arguments> unknown() {
        return Stream.of(
                Arguments.of("GET", "/bucket/key?unheard-of", "s3:GetObject s3:GetObjectVersion s3:GetObjectAcl"),
                Arguments.of("PUT", "/bucket/key?unheard-of", "s3:PutObject s3:PutObjectTagging"),
                Arguments.of("POST", "/bucket/key?unheard-of", "s3:PutObject s3:GetObject"),
                Arguments.of("DELETE", "/bucket/key?unheard-of", "s3:DeleteObject s3:DeleteObjectVersion"),
                Arguments.of("GET", "/bucket?unheard-of", "s3:ListBucket s3:ListBucketVersions"),
                Arguments.of("PUT", "/bucket?unheard-of", "s3:PutBucketPolicy millrace:Administer"));
    }

    /** A statement may deny just what the unknown field asks for, under a condition that cannot be evaluated. */
    @Test
    void unknownRequestTakesACallerWithoutDenials() throws Exception {
        String all = "'Effect': 'Allow', 'Action': '*', 'Resource': '*' }, { 'Effect': 'Deny', ";
        String listing = all
                + "'Action': 's3:ListBucket', 'Resource': '*', 'Condition': { 'StringLike': { 's3:prefix': 'secret/*' }"
                + " }";
        String elsewhere = all + "'Action': '*', 'Resource': ['arn:aws:s3:::another', 'arn:aws:s3:::another/*']";

        assertThat(isAdmitted("GET", "/bucket?list-type=2&prefix=secret%2F&unheard-of", Map.of(), listing))
                .isFalse();
        assertThat(isAdmitted("POST", "/bucket?delete&unheard-of", Map.of(), listing))
                .isFalse();
        assertThat(isAdmitted("GET", "/bucket?list-type=2&unheard-of", Map.of(), elsewhere))
                .isTrue();
    }

    /** Where there are no versions, it is the object itself. */
    @Test
    void nullVersionTakesTheActionOnTheObjectToo() throws Exception {
        String plainDenied =
                "'Effect': 'Allow', 'Action': '*', 'Resource': '*' }, { 'Effect': 'Deny', 'Action': ['s3:GetObject',"
                        + " 's3:DeleteObject'], 'Resource': '*'";

        assertThat(isAdmitted("GET", "/bucket/key?versionId=null", Map.of(), plainDenied))
                .isFalse();
        assertThat(isAdmitted("DELETE", "/bucket/key?versionId=null", Map.of(), plainDenied))
                .isFalse();
        assertThat(isAdmitted("GET", "/bucket/key?versionId=v1", Map.of(), plainDenied))
                .isTrue();
    }

    @Test
    void listingTakesItsPrefix() throws Exception {
        String home = "'Effect': 'Allow', 'Action': 's3:ListBucket', 'Resource': 'arn:aws:s3:::bucket', 'Condition': {"
                + " 'StringLike': { 's3:prefix': 'home/*' } }";

        assertThat(isAdmitted("GET", "/bucket?list-type=2&prefix=home%2Fa", Map.of(), home))
                .isTrue();
        assertThat(isAdmitted("GET", "/bucket?prefix=home%2F", Map.of(), home)).isTrue();
        assertThat(isAdmitted("GET", "/bucket?list-type=2&prefix=", Map.of(), home))
                .isFalse();
        assertThat(isAdmitted("GET", "/bucket?list-type=2", Map.of(), home)).isFalse();
        assertThat(isAdmitted("GET", "/bucket?prefix=home%2F..%2Fsecret%2F", Map.of(), home))
                .isFalse();
        assertThat(isAdmitted("GET", "/bucket?prefix=secret%2F&prefix=home%2F", Map.of(), home))
                .isFalse();
        assertThat(isAdmitted("GET", "/bucket?versions&prefix=home%2F", Map.of(), home))
                .isFalse();
    }

    private boolean canCopy(String source, String statements, Map<String, String> headers) throws Exception {
        Map<String, String> all = new TreeMap<>(headers);
        all.put("x-amz-copy-source", source);
        AuthorizedRequest request = admit("PUT", "/bucket/key", all, statements);
        try {
            CopySourceName.of(request);
            return true;
        } catch (S3Exception denied) {
            assertThat(denied.code()).isEqualTo(S3ErrorCode.ACCESS_DENIED.code());
            return false;
        }
    }

    private boolean isAdmitted(Row row, String statements) throws Exception {
        try {
            admit(row, statements);
            return true;
        } catch (S3Exception denied) {
            assertThat(denied.code()).isEqualTo(S3ErrorCode.ACCESS_DENIED.code());
            return false;
        }
    }

    private AuthorizedRequest admit(Row row, String statements) throws Exception {
        String path = switch (row.operation().level()) {
            case SERVICE -> "/";
            case BUCKET -> "/bucket";
            case OBJECT -> "/bucket/key";
        };
        String query = Stream.concat(
                        row.operation().selectors().stream()
                                .filter(name -> !name.startsWith("x-amz-"))
                                .sorted()
                                .map(name -> Set.of("partNumber", "uploadId", "list-type")
                                                .contains(name)
                                        ? name + "=1"
                                        : name),
                        Stream.of(row.query()).filter(more -> !more.isEmpty()))
                .collect(Collectors.joining("&"));
        Map<String, String> headers = new TreeMap<>(row.headers());
        row.operation().selectors().stream()
                .filter(name -> name.startsWith("x-amz-"))
                .forEach(name -> headers.put(name, "/bucket/source"));
        return admit(row.operation().method(), query.isEmpty() ? path : path + '?' + query, headers, statements);
    }

    private boolean isAdmitted(String method, String target, Map<String, String> headers, String statements)
            throws Exception {
        try {
            admit(method, target, headers, statements);
            return true;
        } catch (S3Exception denied) {
            assertThat(denied.code()).isEqualTo(S3ErrorCode.ACCESS_DENIED.code());
            return false;
        }
    }

    private AuthorizedRequest admit(String method, String target, Map<String, String> headers, String statements)
            throws Exception {
        IdentitySettings identity = new IdentitySettings(
                "caller",
                "CALLER",
                Secret.of("caller-secret"),
                List.of(),
                List.of(policy(statements)),
                IdentityLimitSettings.NONE);
        S3RequestAuthorizer gate = new S3RequestAuthorizer(
                new RequestVerifier(
                        IdentityRegistry.of(List.of(identity)), SignatureSettings.defaults(), InstantSource.system()),
                new Authorizer(bucket -> BucketPolicy.NONE),
                InstantSource.system());
        Map<String, String> signed = new TreeMap<>(headers);
        signed.put("host", "gateway.test");
        signed.putAll(new RequestSigner("CALLER", Secret.of("caller-secret"), "us-east-1")
                .sign(
                        URI.create("http://gateway.test" + target),
                        method,
                        headers,
                        PayloadType.UNSIGNED,
                        Instant.now()));
        return gate.admit(new S3Request(
                method,
                RequestTarget.parse(target, Optional.empty()),
                fields(signed),
                UnverifiedRequestBody.NONE,
                "ID",
                new RequestSource(InetAddress.getLoopbackAddress(), false)));
    }

    private IdentityPolicy policy(String statements) throws IOException, InvalidValueException {
        String json = "{ 'Version': '2012-10-17', 'Statement': [ { %s } ] }".formatted(statements);
        return IdentityPolicy.read(Files.writeString(folder.resolve("caller.json"), json.replace('\'', '"')));
    }

    private static String quoted(List<String> actions) {
        return actions.stream().map(action -> "'" + action + "'").collect(Collectors.joining(", "));
    }

    private static RequestHeaders fields(Map<String, String> headers) {
        Map<String, String> lowerCase = new TreeMap<>();
        headers.forEach((name, value) -> lowerCase.put(name.toLowerCase(Locale.ROOT), value));
        return new RequestHeaders() {
            @Override
            public List<String> all(String name) {
                return lowerCase.containsKey(name) ? List.of(lowerCase.get(name)) : List.of();
            }

            @Override
            public List<String> names() {
                return List.copyOf(lowerCase.keySet());
            }
        };
    }
}
