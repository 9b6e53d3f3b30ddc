package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.session.BearerTokens;
import io.millrace.backend.testkit.Promise;
import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that changes made directly at a backend are visible after a notification by an operator or the backend. */
class ApiNotificationsTest {
    private static final String BUCKETS = """
            { name: data, backend: local, freshness: { mode: immutable } },
            { name: train, backend: local, bucket: data, prefix: train/, freshness: { mode: ttl, ttl: 1h, negative-ttl: 1h } },
            { name: "*", backend: local, freshness: { mode: ttl, ttl: 1h, negative-ttl: 1h } }
            """;

    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        server = ApiServer.start(folder, BUCKETS);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Promise("I1")
    @Test
    void prefixInvalidationAppliesUnderEachBucketName() throws Exception {
        for (String key : new String[] {"train/a/1", "train/a/2", "train/b/1"}) {
            change(key, "old");
            read("data", key);
        }
        assertThat(read("train", "a/1")).isEqualTo("200 old");
        change("train/a/1", "new");
        change("train/a/2", "new");
        change("train/b/1", "new");
        assertThat(read("data", "train/a/1")).isEqualTo("200 old");

        assertThat(invalidate("{'bucket':'train','prefix':'a/'}").status()).isEqualTo(204);

        assertThat(read("data", "train/a/1")).isEqualTo("200 new");
        assertThat(read("train", "a/1")).isEqualTo("200 new");
        assertThat(read("data", "train/a/2")).isEqualTo("200 new");
        assertThat(read("data", "train/b/1")).isEqualTo("200 old");
        assertThat(invalidate("{'bucket':'data'}").status()).isEqualTo(204);
        assertThat(read("data", "train/b/1")).isEqualTo("200 new");
    }

    @Promise("R9")
    @Test
    void prefixInvalidationDropsRememberedAbsence() throws Exception {
        assertThat(read("train", "missing/1")).startsWith("404");
        change("train/missing/1", "there");
        assertThat(read("train", "missing/1")).startsWith("404");

        invalidate("{'bucket':'train','prefix':'missing/'}");

        assertThat(read("train", "missing/1")).isEqualTo("200 there");
    }

    @Promise("I4")
    @ParameterizedTest
    @ValueSource(strings = {"ObjectCreated:Put", "s3:ObjectCreated:Copy", "ObjectRemoved:Delete", "ObjectTagging:Put"})
    void eventInvalidatesUnderEachBucketName(String name) throws Exception {
        String key = "train/event " + name;
        change(key, "old");
        assertThat(read("data", key)).isEqualTo("200 old");
        assertThat(read("train", key.substring(6))).isEqualTo("200 old");
        change(key, "new");

        assertThat(notify("", event(name, "data", "train%2Fevent+" + name.replace(":", "%3A"), "1"))
                        .text())
                .isEqualTo("{\"applied\":1,\"repeated\":0,\"ignored\":0}");

        assertThat(read("data", key)).isEqualTo("200 new");
        assertThat(read("train", key.substring(6))).isEqualTo("200 new");
    }

    @Promise("I4")
    @Test
    void anEventThatIsAfterAnotherCostsNothing() throws Exception {
        change("ordered", "1");
        read("data", "ordered");
        change("ordered", "2");
        assertThat(notify("", event("ObjectCreated:Put", "data", "ordered", "16F2"))
                        .field("applied"))
                .isEqualTo("1");
        assertThat(read("data", "ordered")).isEqualTo("200 2");
        change("ordered", "3");

        for (String sequencer : new String[] {"16F2", "16f2", "16F1", "0999"}) {
            assertThat(notify("", event("ObjectCreated:Put", "data", "ordered", sequencer))
                            .field("repeated"))
                    .as(sequencer)
                    .isEqualTo("1");
        }
        assertThat(read("data", "ordered")).isEqualTo("200 2");
        assertThat(notify("", event("ObjectCreated:Put", "data", "ordered", "16F3"))
                        .field("applied"))
                .isEqualTo("1");
        assertThat(read("data", "ordered")).isEqualTo("200 3");
    }

    /** A key that is not encoded may be read as another key; events of that other key must not count as old then. */
    @Promise("I4")
    @Test
    void ambiguousEventDoesNotOutdateLaterEvents() throws Exception {
        change("one+two", "1");
        assertThat(read("data", "one+two")).isEqualTo("200 1");
        assertThat(notify("", event("ObjectCreated:Put", "data", "one+two", "17A9"))
                        .field("applied"))
                .isEqualTo("1");
        assertThat(read("data", "one+two")).isEqualTo("200 1");
        change("one+two", "2");

        assertThat(notify("", event("ObjectCreated:Put", "data", "one%2Btwo", "17A5"))
                        .field("applied"))
                .isEqualTo("1");

        assertThat(read("data", "one+two")).isEqualTo("200 2");
        assertThat(notify("", event("ObjectCreated:Put", "data", "one%2Btwo", "17A5"))
                        .field("repeated"))
                .isEqualTo("1");
    }

    @Test
    void refusesPrefixesThatLeaveTheBucket() throws Exception {
        for (String prefix : new String[] {"../other/", "a/../../other/", ".."}) {
            Response response = invalidate("{'bucket':'train','prefix':'" + prefix + "'}");
            assertThat(response.status()).as(prefix).isEqualTo(400);
            assertThat(response.field("field")).isEqualTo("prefix");
        }
    }

    @Promise("I4")
    @Test
    void eventsInTheEnvelopeOfSnsAreUnderstood() throws Exception {
        String bridge = """
                {"source":"aws.s3","detail-type":"Object Created","detail":{"bucket":{"name":"data"},"object":{"key":"sns","sequencer":"2"}}}
                """;
        change("sns", "0");
        assertThat(read("data", "sns")).isEqualTo("200 0");

        change("sns", "1");
        assertThat(notify("", enveloped(event("ObjectCreated:Put", "data", "sns", "1")))
                        .text())
                .isEqualTo("{\"applied\":1,\"repeated\":0,\"ignored\":0}");
        assertThat(read("data", "sns")).isEqualTo("200 1");
        change("sns", "2");
        assertThat(notify("", enveloped(bridge)).field("applied")).isEqualTo("1");
        assertThat(read("data", "sns")).isEqualTo("200 2");
    }

    /** As SNS says of its JSON; what else is none is not read. */
    @Test
    void acceptsEventsOfContentTypeTextPlain() throws Exception {
        String token = "Bearer " + ADMIN.token();
        String event = enveloped(event("ObjectCreated:Put", "data", "plain", "1"));
        change("plain", "1");
        assertThat(read("data", "plain")).isEqualTo("200 1");
        change("plain", "2");

        for (String type : new String[] {"text/plain; charset=UTF-8", "text/plain"}) {
            Response response = ApiServer.send(server.request(
                    "POST", API + "/notifications", event, Map.of("content-type", type, "authorization", token)));
            assertThat(response.status()).as(response.text()).isEqualTo(200);
        }
        assertThat(read("data", "plain")).isEqualTo("200 2");
        for (String body : new String[] {"changed", "{}"}) {
            Response response = ApiServer.send(server.request(
                    "POST",
                    API + "/notifications",
                    body,
                    Map.of("content-type", "text/plain", "authorization", token)));
            assertThat(response.status()).as(body).isEqualTo(400);
            assertThat(response.type()).isEqualTo("application/problem+json");
        }
        assertThat(ApiServer.send(server.request(
                                "POST",
                                API + "/invalidations",
                                "{\"bucket\":\"data\"}",
                                Map.of("content-type", "text/plain", "authorization", token)))
                        .status())
                .isEqualTo(415);
    }

    /** Advice on jobs would lead nowhere here. */
    @Test
    void errorOfATooLargeBodyNamesTheRemedy() throws Exception {
        Response response = notify("", " ".repeat(1024 * 1024) + "{}");

        assertThat(response.status()).isEqualTo(413);
        assertThat(response.field("detail")).endsWith("send less at a time.").doesNotContain("manifest");
    }

    @Test
    void ignoresReadEventsAndUnknownBuckets() throws Exception {
        for (String body : new String[] {
            event("s3:ObjectAccessed:Get", "data", "x", "1"),
            event("ObjectCreated:Put", "No_Bucket!", "x", "1"),
            event("s3:BucketCreated:*", "data", "", "1"),
            event("s3:BucketRemoved:*", "data", "x", "1").replace("\"object\"", "\"other\"")
        }) {
            assertThat(notify("", body).text()).as(body).isEqualTo("{\"applied\":0,\"repeated\":0,\"ignored\":1}");
        }
        String test = "{\"Service\":\"Amazon S3\",\"Event\":\"s3:TestEvent\",\"Bucket\":\"data\"}";
        for (String body : new String[] {"{\"Records\":[]}", test, enveloped(test)}) {
            assertThat(notify("", body).text()).isEqualTo("{\"applied\":0,\"repeated\":0,\"ignored\":0}");
        }
    }

    @Test
    void eventsNeedTheRightToWrite() throws Exception {
        assertThat(notify(ALICE, "", event("ObjectCreated:Put", "data", "o-01", "1"))
                        .status())
                .isEqualTo(403);
        assertThat(notify(WRITER, "", event("ObjectCreated:Put", "data", "p-01", "1"))
                        .status())
                .isEqualTo(403);
        assertThat(notify(WRITER, "", event("ObjectCreated:Put", "data", "o-01", "1"))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aTokenInAFixedFieldWillDo() throws Exception {
        HttpRequest request = server.request(
                "POST",
                API + "/notifications?backend=local",
                event("ObjectCreated:Put", "data", "token", "1"),
                Map.of("authorization", "Bearer " + ADMIN.token()));

        assertThat(ApiServer.send(request).status()).isEqualTo(200);
    }

    @Test
    void aTokenForNotificationsIsGoodForNothingElse() throws Exception {
        String token = BearerTokens.make(
                BearerTokens.Use.NOTIFICATIONS, ADMIN.accessKey(), ADMIN.secret(), Duration.ofDays(300), Instant.now());
        byte[] pair = ("any:" + token).getBytes(StandardCharsets.US_ASCII);
        String event = event("ObjectCreated:Put", "data", "long token", "1");

        for (String field :
                new String[] {"Bearer " + token, "Basic " + Base64.getEncoder().encodeToString(pair)}) {
            assertThat(with(field, "POST", "/notifications", event)).isEqualTo(200);
            assertThat(with(field, "POST", "/invalidations", "{\"bucket\":\"data\"}"))
                    .isIn(400, 401);
            assertThat(with(field, "GET", "/jobs", "")).isIn(400, 401);
        }
        for (String odd : new String[] {"Basic", "Basic !", "Basic YTpi"}) {
            assertThat(with(odd, "POST", "/notifications", event)).as(odd).isIn(400, 401);
        }
    }

    private static int with(String authorization, String method, String path, String body) throws Exception {
        return ApiServer.send(server.request(method, API + path, body, Map.of("authorization", authorization)))
                .status();
    }

    @Promise("I4")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "?backend=nowhere | {} | backend",
                "?bakcend=local | {'Records':[]} | bakcend",
                "?backend=local&key=a | {'Records':[]} | key",
                " '' | 7 | Records",
                " '' | {} | Records",
                " '' | {'Event':'else'} | Records",
                " '' | {'Records':null} | Records",
                " '' | {'records':[{'s3':{'bucket':{'name':'data'},'object':{'key':'a'}}}]} | Records",
                " '' | {'s3':{'bucket':{'name':'data'},'object':{'key':'a'}}} | Records",
                " '' | [{'Records':[{'s3':{'bucket':{'name':'data'},'object':{'key':'a'}}}]}] | Records[0].s3",
                " '' | {'Records':[{'eventSource':'aws:sqs','body':'{}'}]} | Records[0].s3",
                " '' | {'Records':[null]} | Records[0].s3",
                " '' | {'source':'aws.s3'} | detail",
                " '' | {'Type':'Notification'} | Message",
                " '' | {'Type':'Notification','Message':{'Records':[]}} | Message",
                " '' | {'Type':'Notification','Message':'changed'} | Message",
                " '' | {'Type':'Notification','Message':''} | Records",
                " '' | {'Type':'Notification','Message':'{}'} | Records",
                " '' | {'Type':'SubscriptionConfirmation','Message':'You have chosen'} | Type",
                " '' | {'Records':{}} | Records",
                " '' | {'Records':[{'s3':{'bucket':{'name':'data'},'object':{}}}]} | Records[0].s3.object.key",
                " '' | {'Records':[{'s3':{'bucket':{},'object':{'key':'a'}}}]} | Records[0].s3.bucket.name",
                " '' | {'Records':[{'s3':{'bucket':{'name':'data'},'object':{'key':7}}}]} | Records[0].s3.object.key",
                " '' | {'Records':[{'eventName':'ObjectCreated:Put','s3':{'bucket':{'name':'data'},'object':'key'}}]} |"
                        + " Records[0].s3.object",
                " '' | {'Records':[{'eventName':'s3:ObjectRemoved:Delete',"
                        + "'s3':{'bucket':{'name':'data'},'Object':{'key':'a'}}}]} | Records[0].s3.object",
                " '' | {'Records':[{'s3':{'bucket':{'name':'data'}}}]} | Records[0].s3.object",
                " '' | {'source':'aws.s3','detail-type':'Object Created','detail':{}} | detail.object",
                " '' | {'source':'aws.s3','detail-type':'Object"
                        + " Created','detail':{'bucket':{'name':'data'},'object':'a'}} | detail.object",
                " '' | {'source':'aws.s3','detail':{'bucket':{},'object':{'key':'a'}}} | detail.bucket.name"
            })
    void aWrongNotificationIsAProblem(String query, String body, String field) throws Exception {
        Response response = notify(query, body.replace('\'', '"'));

        assertThat(response.status()).as(response.text()).isEqualTo(400);
        assertThat(response.field("field")).isEqualTo(field);
    }

    /** Fetches sent before a notification of any kind must not overwrite its effect. */
    @Promise("I1")
    @Test
    void readersSeeAcknowledgedInvalidations() throws Exception {
        int versions = 60;
        AtomicInteger acknowledged = new AtomicInteger();
        replace("train/race", 0);
        ExecutorService threads = Executors.newFixedThreadPool(5);
        CompletableFuture<?>[] workers = new CompletableFuture<?>[5];
        workers[0] = CompletableFuture.runAsync(
                () -> {
                    for (int version = 1; version <= versions; version++) {
                        replace("train/race", version);
                        assertThat(tell(version)).isLessThan(300);
                        acknowledged.set(version);
                    }
                },
                threads);
        for (int reader = 1; reader < 5; reader++) {
            boolean alias = reader % 2 == 0;
            workers[reader] = CompletableFuture.runAsync(
                    () -> {
                        while (acknowledged.get() < versions) {
                            int before = acknowledged.get();
                            String seen = seen(alias ? "train" : "data", alias ? "race" : "train/race");
                            // A file that is replaced again and again while it is opened may be no answer at all.
                            assertThat(!seen.startsWith("200 ") || Integer.parseInt(seen.substring(4)) >= before)
                                    .as("%s behind %d", seen, before)
                                    .isTrue();
                        }
                    },
                    threads);
        }
        CompletableFuture.allOf(workers).get(60, TimeUnit.SECONDS);
        threads.shutdown();
    }

    private static int tell(int version) {
        try {
            Response response = switch (version % 4) {
                case 0 -> invalidate("{'bucket':'data','key':'train/race'}");
                case 1 -> invalidate("{'bucket':'train','prefix':'r'}");
                case 2 -> invalidate("{'bucket':'data'}");
                default -> notify("", event("ObjectCreated:Put", "data", "train%2Frace", "%04X".formatted(version)));
            };
            return response.status();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String seen(String bucket, String key) {
        try {
            return read(bucket, key);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** In one step, because no reader may see half of it. */
    private static void replace(String key, int version) {
        try {
            Path file = server.bucket().resolve(key);
            Files.createDirectories(file.getParent());
            Path fresh = Files.writeString(Files.createTempFile("millrace", ""), Integer.toString(version));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String event(String name, String bucket, String key, String sequencer) {
        return """
                {"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-east-1",
                "eventTime":"2026-11-21T17:00:00.000Z","eventName":"%s","s3":{"s3SchemaVersion":"1.0",
                "bucket":{"name":"%s","arn":"arn:aws:s3:::data"},
                "object":{"key":"%s","size":3,"eTag":"d41d8cd9","sequencer":"%s"}}}]}
                """.formatted(name, bucket, key, sequencer);
    }

    private static String enveloped(String message) {
        return """
                {"Type":"Notification","MessageId":"22b80b92","TopicArn":"arn:aws:sns:us-west-2:123456789012:data",
                "Subject":"Amazon S3 Notification","Timestamp":"2026-11-21T17:00:00.000Z","SignatureVersion":"1","Message":"%s"}
                """.formatted(message.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
    }

    private static void change(String key, String content) throws Exception {
        Path file = server.bucket().resolve(key);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private static Response invalidate(String body) throws Exception {
        return server.post(ADMIN, API + "/invalidations", body.replace('\'', '"'));
    }

    private static Response notify(String query, String body) throws Exception {
        return notify(ADMIN, query, body);
    }

    private static Response notify(Caller caller, String query, String body) throws Exception {
        return server.post(caller, API + "/notifications" + query, body);
    }

    private static String read(String bucket, String key) throws Exception {
        URI uri = new URI("http", null, "127.0.0.1", server.s3Port(), "/" + bucket + "/" + key, null, null);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        server.signature(ADMIN, "GET", uri, ApiServer.hash("")).forEach(request::header);
        Response response = ApiServer.send(request.build());
        HttpResponse<?> raw = response.raw();
        return raw.statusCode() + " " + response.text();
    }
}
