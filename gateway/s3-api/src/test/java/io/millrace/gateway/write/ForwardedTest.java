package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** What is passed on with the gateway's credentials does no more than its caller may. */
@ExtendWith(BufferLeakExtension.class)
class ForwardedTest {
    private static final String OWNER_ONLY = grant("<ID>gateway</ID><DisplayName>g</DisplayName>");
    private static final String RULES = "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
            + "<AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>";

    private static final ConcurrentResponses cors = new ConcurrentResponses();
    private static final ForwardingBackend backend = new ForwardingBackend(ForwardedTest::answer);

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        for (String bucket : List.of("mine", "other", "view", "without")) {
            backend.objects()
                    .store(new ObjectRef(new BucketName(bucket), new ObjectKey("key")), new byte[7], HeaderList.EMPTY);
        }
        gateway = TestGateway.builder()
                .bucket("view", backend, "part/", "none")
                .bucket("public", backend, "", "list")
                .bucket("*", backend)
                .identity("mine", "MINE", "mine-secret", "read,list,write,admin:mine", "read,list,write:other")
                .identity("writer", "WRITER", "writer-secret", "write:other")
                .identity("reader", "READER", "reader-secret", "read,list:mine")
                .start();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void forget() {
        backend.forget();
    }

    private static Mono<String> answer(ForwardRequest request) {
        return switch (request.query().get(0).name()) {
            case "acl" -> acl(request);
            case "cors" -> cors.of(RULES);
            default -> Mono.just("<Done/>");
        };
    }

    private static Mono<String> acl(ForwardRequest request) {
        if (request.key().filter(key -> key.value().equals("none")).isPresent()) {
            return Mono.error(new BackendException(BackendException.FailureKind.NO_SUCH_KEY, "no"));
        }
        if (request.bucket().value().equals("without")) {
            return Mono.error(new BackendException(BackendException.FailureKind.UNSUPPORTED, "no ACLs here"));
        }
        boolean isShared =
                request.key().filter(key -> key.value().equals("shared")).isPresent();
        return Mono.just(acl(
                request.bucket().value().equals("nameless") ? "<ID></ID>" : "<ID>gateway</ID>",
                isShared ? OWNER_ONLY + grant("<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>") : ""));
    }

    private static String acl(String owner, String grants) {
        return "<AccessControlPolicy><Owner>%s</Owner><AccessControlList>%s</AccessControlList></AccessControlPolicy>"
                .formatted(owner, grants);
    }

    private static String grant(String grantee) {
        return "<Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"CanonicalUser\">"
                + grantee + "</Grantee><Permission>FULL_CONTROL</Permission></Grant>";
    }

    @Test
    void bucketAclOfTheOwnerAloneIsPassedOn() throws IOException {
        RawClient.Response answer =
                send(SignedWriteRequest.of("PUT", "/mine?acl").body(acl("<ID>gateway</ID>", OWNER_ONLY)));

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(backend.asked()).containsExactly("GET mine?acl", "PUT mine?acl");
    }

    /** s3cmd sends what it read of the source behind each copy, whoever runs it. */
    @Test
    void writersObjectAclOfTheOwnerAloneChangesNothing() throws IOException {
        for (String ask : List.of("/mine/key?acl", "/other/key?acl", "/mine/key?acl&versionId=v1")) {
            backend.forget();
            RawClient.Response answer = send(SignedWriteRequest.of("PUT", ask)
                    .body(acl("<ID>gateway</ID>", OWNER_ONLY))
                    .by("MINE", "mine-secret"));

            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            assertThat(answer.body()).isEmpty();
            assertThat(backend.asked()).singleElement().asString().startsWith("GET ");
        }
    }

    @Test
    void cannedObjectAclThatGrantsNothingChangesNothing() throws IOException {
        assertThat(send(byMine("x-amz-acl: private")).status()).isEqualTo(200);
        EndpointWriteCases.assertError(send(byMine("x-amz-acl: public-read")), 400, "AccessControlListNotSupported");
        EndpointWriteCases.assertError(send(byMine()), 400, "MissingSecurityHeader");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/mine/none?acl").with("x-amz-acl: private")), 404, "NoSuchKey");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/mine/key?acl")
                        .with("x-amz-acl: private")
                        .by("READER", "reader-secret")),
                403,
                "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/other/none?acl")
                        .with("x-amz-acl: private")
                        .by("WRITER", "writer-secret")),
                403,
                "AccessDenied");
        assertThat(send(SignedWriteRequest.of("PUT", "/without/key?acl").with("x-amz-acl: private"))
                        .status())
                .isEqualTo(200);
        assertThat(backend.asked()).noneMatch(asked -> asked.startsWith("PUT"));
    }

    /** Whoever is told 200 takes it for private. */
    @Test
    void rightsThatOthersHaveAreNotPassedOver() throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/mine/shared?acl").with("x-amz-acl: private")),
                400,
                "AccessControlListNotSupported");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/mine/shared?acl").body(acl("<ID>gateway</ID>", OWNER_ONLY))),
                400,
                "AccessControlListNotSupported");
    }

    private static SignedWriteRequest byMine(String... fields) {
        return SignedWriteRequest.of("PUT", "/mine/key?acl")
                .by("MINE", "mine-secret")
                .with(fields);
    }

    /** MinIO gives its owner no id, and its grantees their type as an element. */
    @Test
    void ownerWithoutAnIdIsTheOwner() throws IOException {
        String owner = grant("<Type>CanonicalUser</Type>");

        assertThat(send(SignedWriteRequest.of("PUT", "/nameless/key?acl").body(acl("<ID/>", owner)))
                        .status())
                .isEqualTo(200);
        for (String other : List.of("<ID>thief</ID>", "<Type>Group</Type>", "<URI>all</URI>")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.of("PUT", "/nameless/key?acl").body(acl("<ID/>", owner + grant(other)))),
                    400,
                    "AccessControlListNotSupported");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<ID>thief</ID>",
                "<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>",
                "<ID>gateway</ID><URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>",
                "<ID>gateway</ID><EmailAddress>thief@example.org</EmailAddress>",
                "<ID>gateway</ID><ID>thief</ID>",
                "<ID>thief</ID><ID>gateway</ID>"
            })
    void refusesGrantsToOthersForAnyClaimedOwner(String grantee) throws IOException {
        for (String owner : List.of("<ID>gateway</ID>", "<ID>thief</ID>", "")) {
            for (String target : List.of("/mine?acl", "/mine/key?acl")) {
                EndpointWriteCases.assertError(
                        send(SignedWriteRequest.of("PUT", target).body(acl(owner, OWNER_ONLY + grant(grantee)))),
                        400,
                        "AccessControlListNotSupported");
            }
        }
        assertThat(backend.asked()).isNotEmpty().noneMatch(asked -> asked.startsWith("PUT"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            logging     | <BucketLoggingStatus><LoggingEnabled><TargetBucket>%s</TargetBucket><TargetPrefix>a</TargetPrefix></LoggingEnabled></BucketLoggingStatus>
            replication | <ReplicationConfiguration><Role>r</Role><Rule><Status>Enabled</Status><Destination><Bucket>arn:aws:s3:::%s</Bucket></Destination></Rule></ReplicationConfiguration>
            inventory&id=a | <InventoryConfiguration><Destination><S3BucketDestination><Bucket>arn:aws:s3:::%s</Bucket></S3BucketDestination></Destination></InventoryConfiguration>
            analytics&id=a | <AnalyticsConfiguration><StorageClassAnalysis><DataExport><Destination><S3BucketDestination><Bucket>arn:aws:s3:::%s</Bucket></S3BucketDestination></Destination></DataExport></StorageClassAnalysis></AnalyticsConfiguration>
            """)
    void configurationNeedsRightsOnItsDestinationBucket(String what, String document) throws IOException {
        String target = "/mine?" + what;
        for (String bucket : List.of("other", "view", "A/b", "")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.of("PUT", target)
                            .body(document.formatted(bucket))
                            .by("MINE", "mine-secret")),
                    403,
                    "AccessDenied");
        }
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", target).body(document.formatted("view"))), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", target).body("<Other/>")), 400, "MalformedXML");
        assertThat(backend.asked()).isEmpty();

        assertThat(send(SignedWriteRequest.of("PUT", target)
                                .body(document.formatted("mine"))
                                .by("MINE", "mine-secret"))
                        .status())
                .isEqualTo(200);
        assertThat(send(SignedWriteRequest.of("PUT", target).body(document.formatted("other")))
                        .status())
                .isEqualTo(200);
        assertThat(backend.asked()).hasSize(2);
    }

    /** The first is what was looked at. */
    @Test
    void aParameterThatComesTwiceIsPassedOnOnce() throws IOException {
        RawClient.Response answer =
                send(SignedWriteRequest.of("GET", "/mine/key?tagging&versionId=first&versionId=..%2Fother"));

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(backend.parameters())
                .containsExactly(new QueryParameter("tagging", ""), new QueryParameter("versionId", "first"));
    }

    @Test
    void anArchiveIsRestoredAndNotWrittenElsewhere() throws IOException {
        String days = "<RestoreRequest><Days>1</Days>%s</RestoreRequest>";
        for (String more : List.of(
                "<OutputLocation><S3><BucketName>other</BucketName></S3></OutputLocation>",
                "<Type>SELECT</Type><SelectParameters><Expression>x</Expression></SelectParameters>")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.of("POST", "/mine/key?restore").body(days.formatted(more))),
                    501,
                    "NotImplemented");
        }
        assertThat(backend.asked()).isEmpty();

        assertThat(send(SignedWriteRequest.of("POST", "/mine/key?restore").body(days.formatted("")))
                        .status())
                .isEqualTo(200);
        assertThat(backend.asked()).containsExactly("POST mine/key?restore");
    }

    /**
     * What names keys or buckets could name those of others: the part has none of its own, as tools expect it to be
     * said.
     */
    @ParameterizedTest
    @CsvSource(textBlock = """
            lifecycle,     404, NoSuchLifecycleConfiguration
            logging,       200, BucketLoggingStatus
            notification,  200, NotificationConfiguration
            policy,        404, NoSuchBucketPolicy
            replication,   404, ReplicationConfigurationNotFoundError
            website,       404, NoSuchWebsiteConfiguration
            analytics&id=a, 404, NoSuchConfiguration
            inventory,     200, ListInventoryConfigurationsResult
            versioning,    200, Done
            encryption,    200, Done
            object-lock,   200, Done
            """)
    void mappedBucketReportsNothingOfTheRest(String what, int status, String name) throws IOException {
        RawClient.Response answer = send(SignedWriteRequest.get("/view?" + what));

        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.text()).contains(name);
        assertThat(backend.asked()).hasSize(name.equals("Done") ? 1 : 0);
        assertThat(send(SignedWriteRequest.get("/mine?" + what)).text()).contains("Done");
    }

    @Test
    void partOfABucketIsNotConfigured() throws IOException {
        for (String method : List.of("PUT", "DELETE")) {
            for (String what : List.of("lifecycle", "inventory&id=a", "metrics&id=a")) {
                EndpointWriteCases.assertError(
                        send(SignedWriteRequest.of(method, "/view?" + what).body("<a/>")), 501, "NotImplemented");
            }
        }
        assertThat(backend.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"versioning", "tagging", "encryption", "object-lock", "accelerate", "requestPayment"})
    void strangersWhoMayListLearnNothingOfTheConfiguration(String what) throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.get("/public?" + what).anonymous()), 403, "AccessDenied");

        assertThat(backend.asked()).isEmpty();
        assertThat(send(SignedWriteRequest.get("/public?" + what)).status()).isEqualTo(200);
    }

    /** It announces what it never sends: only a gate that does not listen can answer. */
    @Test
    void deleteWithoutTheRightIsRefusedBeforeItsBody() throws IOException {
        SignedWriteRequest delete = SignedWriteRequest.of("POST", "/mine?delete")
                .with("Content-Length: 1000000", "Expect: 100-continue")
                .by("READER", "reader-secret");

        EndpointWriteCases.assertError(send(delete), 403, "AccessDenied");
    }

    @Test
    void concurrentLookupsOfCorsRulesCostOneRequest() throws Exception {
        ExecutorService browsers = Executors.newFixedThreadPool(8);
        List<Future<RawClient.Response>> responses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            responses.add(browsers.submit(() -> send(SignedWriteRequest.of("OPTIONS", "/public/key")
                    .anonymous()
                    .with("Origin: https://lab.example.org", "Access-Control-Request-Method: GET"))));
        }
        for (Future<RawClient.Response> answer : responses) {
            assertThat(answer.get().status()).isEqualTo(200);
        }
        browsers.shutdown();

        assertThat(backend.asked()).containsExactly("GET public?cors");
    }

    @Test
    void preflightsForUnknownBucketsCostLittle() throws Exception {
        ExecutorService browsers = Executors.newFixedThreadPool(64);
        List<Future<RawClient.Response>> responses = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            String target = "/made-up-" + i + "/key";
            responses.add(browsers.submit(() -> send(SignedWriteRequest.of("OPTIONS", target)
                    .anonymous()
                    .with("Origin: https://lab.example.org", "Access-Control-Request-Method: GET"))));
        }
        for (Future<RawClient.Response> answer : responses) {
            assertThat(answer.get().status()).isIn(200, 403);
        }
        browsers.shutdown();
        assertThat(cors.most()).as("concurrent requests of the backend").isBetween(1, 16);
    }

    /** Answers that take a while, and how many of them were on their way at the same time at most. */
    private static final class ConcurrentResponses {
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        Mono<String> of(String document) {
            return Mono.just(document)
                    .delayElement(Duration.ofMillis(200))
                    .doOnSubscribe(question -> most.accumulateAndGet(running.incrementAndGet(), Math::max))
                    .doFinally(end -> running.decrementAndGet());
        }

        int most() {
            return most.get();
        }
    }

    private static RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
