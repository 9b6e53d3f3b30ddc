package io.millrace.gateway.s3.server;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.Route;
import io.millrace.gateway.s3.protocol.Router;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the parts of a hit that need neither socket nor cache: parsing, verification, routing, authorization and response
 * headers.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 1)
public class HitParts {
    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

    private static final BucketName GUARDED = new BucketName("guarded");
    private static final Optional<ObjectKey> OBJECT = Optional.of(new ObjectKey("4k-0001"));

    private final Channel channel = new EmbeddedChannel();
    private HttpRequest received;
    private S3Request request;
    private RequestVerifier verifier;
    private S3Response response;
    private Authorizer authorizer;
    private Principal byRule;
    private Principal byPolicy;
    private Principal byCondition;
    private Authorizer guarded;
    private Principal identity;
    private Principal session;

    @Setup
    public void prepare() throws Exception {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set("Host", "127.0.0.1:9080");
        headers.set("User-Agent", "Boto3/1.40.0 md/Botocore#1.40.0 ua/2.1 os/linux lang/python#3.11");
        headers.set("Accept-Encoding", "identity");
        headers.set("x-amz-checksum-mode", "ENABLED");
        RequestSigner signer = new RequestSigner("BENCHKEY", Secret.of("bench-secret"), "us-east-1");
        signer.sign(
                        URI.create("http://127.0.0.1:9080/bucket/folder/object-0001"),
                        "GET",
                        Map.of("host", "127.0.0.1:9080", "x-amz-checksum-mode", "ENABLED"),
                        PayloadType.UNSIGNED,
                        NOW)
                .forEach(headers::set);
        received = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/bucket/folder/object-0001", headers);
        request = parse();
        verifier = new RequestVerifier(
                IdentityRegistry.of(List.of(new IdentitySettings(
                        "bench", "BENCHKEY", Secret.of("bench-secret"), List.of(AllowRule.parse("*"))))),
                SignatureSettings.defaults(),
                () -> NOW);
        authorizer = new Authorizer(bucket -> BucketPolicy.NONE);
        byRule = new Principal("bench", List.of(AllowRule.parse("read,list:bucket/folder/*")));
        byPolicy = principal("");
        byCondition = principal(
                ", \"Condition\": { \"IpAddress\": { \"aws:SourceIp\": \"10.0.0.0/8\" } }");
        Path policies = Path.of(System.getProperty("policies"));
        List<IdentityPolicy> ofCaller = List.of(IdentityPolicy.read(policies.resolve("caller.json")));
        BucketPolicy ofBucket = BucketPolicy.read(policies.resolve("bucket.json"));
        RequestSource loopback = new RequestSource(InetAddress.getLoopbackAddress(), false);
        guarded = new Authorizer(bucket -> ofBucket);
        identity = new Principal("guarded", List.of(), ofCaller).from(loopback);
        session = Principal.ofSession("guarded", "bench", Map.of(), List.of(), ofCaller).from(loopback);
        HeaderList described = HeaderList.EMPTY
                .with("etag", "\"5d41402abc4b2a76b9719d911017c592\"")
                .with("last-modified", "Fri, 20 Nov 2026 12:00:00 GMT")
                .with("accept-ranges", "bytes")
                .with("content-type", "application/octet-stream");
        response = new S3Response(200, described, new S3Response.NoBody(4096), Optional.of(CacheStatus.hit(59)));
    }

    /** Returns a principal with 20 statements, of which the last allows the read, and a denial. */
    private static Principal principal(String condition) throws Exception {
        StringBuilder statements = new StringBuilder();
        for (int i = 1; i < 20; i++) {
            statements.append("{ \"Effect\": \"Allow\", \"Action\": \"s3:Get*\", \"Resource\": \"arn:aws:s3:::bucket/other-%d/*\" },"
                    .formatted(i));
        }
        Path file = Files.createTempFile("policy", ".json");
        try {
            Files.writeString(
                    file,
                    ("{ \"Version\": \"2012-10-17\", \"Statement\": [ %s"
                                    + "{ \"Effect\": \"Allow\", \"Action\": [\"s3:GetObject\", \"s3:ListBucket\"],"
                                    + " \"Resource\": [\"arn:aws:s3:::bucket\", \"arn:aws:s3:::bucket/${aws:username}/*\"] %s },"
                                    + "{ \"Effect\": \"Deny\", \"Action\": \"*\", \"Resource\": \"arn:aws:s3:::bucket/secret/*\" } ] }")
                            .formatted(statements, condition));
            return new Principal("folder", List.of(), List.of(IdentityPolicy.read(file)))
                    .from(new RequestSource(InetAddress.getByName("10.1.2.3"), true));
        } finally {
            Files.delete(file);
        }
    }

    @Benchmark
    public boolean authorizeByRule() {
        return authorize(byRule);
    }

    @Benchmark
    public boolean authorizeByPolicy() {
        return authorize(byPolicy);
    }

    @Benchmark
    public boolean authorizeByCondition() {
        return authorize(byCondition);
    }

    /** By the policies of bench/headers.sh: 36 statements of the caller and 24 of the bucket. */
    @Benchmark
    public boolean authorizeIdentityOfManyPolicies() {
        return guarded.decide(identity, PolicyAction.GET_OBJECT, AccessScope.resource(GUARDED, OBJECT)).isAllowed();
    }

    @Benchmark
    public boolean authorizeSessionOfManyPolicies() {
        return guarded.decide(session, PolicyAction.GET_OBJECT, AccessScope.resource(GUARDED, OBJECT)).isAllowed();
    }

    private boolean authorize(Principal principal) {
        return authorizer.decide(principal, PolicyAction.GET_OBJECT, AccessScope.resource(request.target().bucket().orElseThrow(), request.target().key())).isAllowed();
    }

    @Benchmark
    public S3Request parse() {
        FastPathRequest read = FastPathRequest.of(received, channel);
        RequestTarget target = RequestTarget.parse(read.rawTarget(), Optional.empty());
        return new S3Request(read.method(), target, read.headers(), read.body(), read.requestId(), read.source());
    }

    @Benchmark
    public Authentication verify() throws RequestVerificationException {
        return verifier.verify(request);
    }

    @Benchmark
    public Route route() {
        return Router.route(request);
    }

    @Benchmark
    public HttpHeaders writeHeaders() {
        HttpHeaders headers = new DefaultHttpHeaders();
        ResponseHeaderWriter.write(response, "0123456789ABCDEF", true, headers);
        return headers;
    }
}
