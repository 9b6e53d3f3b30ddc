package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.JobRequests;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.share.FairSemaphore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rights that each kind of jobs needs at submission, as docs/jobs.md lists them. */
class JobAuthorizerTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Instant NOW = Instant.parse("2026-05-20T10:00:00Z");
    private static final String LISTING = "'from': {'bucket': 'data', 'prefix': 'a/'}";
    private static final String KEYS = "'from': {'bucket': 'data', 'keys': ['a/1']}";
    private static final String COPY = ", 'to': {'bucket': 'other'}";

    private final HttpFetcher fetcher = new HttpFetcher(new FetchSettings(List.of(), List.of(), LONG, LONG, LONG));
    private final JobServices services = new JobServices(
            new FencedWrites(
                    Optional.empty(),
                    new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, InstantSource.system())),
            Optional.empty(),
            fetcher,
            new FairSemaphore(1),
            InstantSource.system());

    @AfterEach
    void close() {
        fetcher.close().block(LONG);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "prefetch | KEYS                                | read:data/a/*                       | nothing",
                "prefetch | KEYS                                | read:data/b/*                       | read on"
                        + " s3://data/a/1",
                "prefetch | LISTING                             | read:data/a/*                       | list on"
                        + " s3://data/a/",
                "prefetch | LISTING                             | operate:data                        | nothing",
                "prefetch | LISTING                             | list:data                           | read on bucket"
                        + " data",
                "evict    | LISTING                             | read,list:data                      | operate on"
                        + " bucket data",
                "evict    | LISTING                             | operate:data                        | nothing",
                "verify   | LISTING                             | read,list:data                      | operate on"
                        + " bucket data",
                "verify   | LISTING                             | operate:data                        | nothing",
                "verify   | LISTING COPY                        | operate:data read,list:other        | read on bucket"
                        + " data",
                "verify   | LISTING COPY                        | operate,read,list:data              | read on bucket"
                        + " other",
                "verify   | LISTING COPY                        | operate,read,list:data read:other   | list on"
                        + " s3://other/",
                "verify   | LISTING COPY                        | operate,read,list:data read,list:other | nothing",
                "copy     | LISTING COPY                        | operate:data write,list:other       | read on bucket"
                        + " data",
                "copy     | LISTING COPY                        | read,list:data read:other           | write on bucket"
                        + " other",
                "copy     | LISTING COPY                        | read,list:data write:other          | list on"
                        + " s3://other/",
                "copy     | LISTING COPY                        | read,list:data write,list:other     | nothing",
                "copy     | LISTING COPY, 'overwrite': 'always' | read,list:data write:other          | nothing",
                "copy     | KEYS COPY                           | read:data write:other               | nothing",
                "copy     | LISTING COPY, 'deleteExtra': true   | read,list:data write,list:other     | delete on"
                        + " bucket other",
                "copy     | LISTING COPY, 'deleteExtra': true   | read,list:data write,list,delete:other | nothing",
                "pack     | LISTING COPY SHARDS                 | read,list:data read,list:other      | write on bucket"
                        + " other",
                "pack     | LISTING COPY SHARDS                 | list:data write:other               | read on bucket"
                        + " data",
                "pack     | LISTING COPY SHARDS                 | read,list:data write:other          | nothing",
                "pack     | LISTING COPY, 'shards': {'name': '%06d.tar', 'append': true} | read,list:data write:other |"
                        + " list on s3://other/",
                "download | 'from': {'urls': ['http://h/a']} COPY | write:other                       | admin on bucket"
                        + " other",
                "download | 'from': {'urls': ['http://h/a']} COPY | admin:other                       | write on bucket"
                        + " other",
                "download | 'from': {'urls': ['http://h/a']} COPY | admin,write:other                 | nothing",
                "download | 'from': {'manifest': 's3://data/a'} COPY | admin,write:other              | read on"
                        + " s3://data/a",
                "download | 'from': {'manifest': 's3://data/a'} COPY | admin,write:other read:data    | nothing",
            })
    void missingRightIsNamed(String kind, String rest, String rules, String missing) {
        String request = "{'kind': '%s', %s}"
                .formatted(kind, rest)
                .replace("LISTING", LISTING)
                .replace("KEYS", KEYS)
                .replace(" COPY", COPY)
                .replace(" SHARDS", ", 'shards': {'name': '%06d.tar'}");

        assertThat(missing(request, rules)).isEqualTo(missing);
    }

    private String missing(String request, String rules) {
        RawJobRequest raw = JobRequests.of(request);
        JobSpec spec = JobTypes.read(raw, NOW);
        BucketRegistry none = new BucketRegistry(List.of(), Map.of(), BucketSavingsRegistry.free());
        Principal owner = new Principal(
                "somebody",
                Arrays.stream(rules.split(" ")).map(AllowRule::parse).toList());
        JobContext job = new JobContext(JobTypes.of(spec), spec, none, services);
        try {
            new JobAuthorizer(new Authorizer(name -> BucketPolicy.NONE), owner, job).require();
            return "nothing";
        } catch (JobException denied) {
            assertThat(denied.kind()).isEqualTo(JobException.Kind.DENIED);
            return String.valueOf(denied.getMessage()).replace("this job needs the right ", "");
        }
    }
}
