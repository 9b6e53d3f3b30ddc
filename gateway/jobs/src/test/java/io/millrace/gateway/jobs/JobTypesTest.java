package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobLimits;
import io.millrace.gateway.jobs.plan.JobRequests;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An invalid request must not start a job, and its error names the field. */
class JobTypesTest {
    private static final Instant NOW = Instant.parse("2026-05-20T10:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{} | kind",
                "{'kind': 'fetch', 'from': {'bucket': 'bkt'}} | kind",
                "{'kind': 'prefetch'} | from",
                "{'kind': 'prefetch', 'from': {}} | from.bucket",
                "{'kind': 'prefetch', 'from': {'bucket': 'B'}} | from.bucket",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'regex': '('}} | from.regex",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'glob': '[a'}} | from.glob",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'template': 'x{1..}'}} | from.template",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'keys': []}} | from.keys",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'keys': ['']}} | from.keys",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'keys': ['a'], 'template': '{0..1}'}} | from.keys",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'keys': ['a'], 'prefix': 'p'}} | from.prefix",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'keys': ['a'], 'minSize': '1KiB'}} | from",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'maxSize': '1XB'}} | from.maxSize",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'olderThan': '7 days'}} | from.olderThan",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'range': 'bytes=5-1'} | range",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'pin': 'a week'} | pin",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'pin': 'P99999999999999999999D'} | pin",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'pin': 'P999999999999D'} | pin",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'pin': 'PT-1S'} | pin",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'minSize': '1MiB'}, 'pin': 'P7D'} | pin",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'manifest': 'list'}, 'pin': 'P7D'} | pin",
                "{'kind': 'evict', 'from': {'bucket': 'bkt'}, 'pin': 'P7D'} | pin",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'workers': 0} | workers",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'workers': 257} | workers",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'attempts': 21} | attempts",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'bandwidth': '0'} | bandwidth",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'bandwidth': '30'} | bandwidth",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'requestsPerSecond': 0} | requestsPerSecond",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'bkt'}} | to",
                "{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'overwrite': 'always'} | overwrite",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}} | to",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}, 'to': {}} | to.bucket",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'overwrite': 'some'} |"
                        + " overwrite",
                "{'kind': 'copy', 'from': {'bucket': 'bkt', 'glob': '*'}, 'to': {'bucket': 'other'}, 'deleteExtra':"
                        + " true} | deleteExtra",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'maxDelete': 5} | maxDelete",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'deleteExtra': true,"
                        + " 'maxDelete': 0} | maxDelete",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'range': 'bytes=0-1'} | range",
                "{'kind': 'copy', 'from': {'bucket': 'bkt', 'urls': ['http://h/a']}, 'to': {'bucket': 'other'}} |"
                        + " from.urls",
                "{'kind': 'verify', 'from': {'bucket': 'bkt'}, 'overwrite': 'always'} | overwrite",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'shards': {'name': 's-%06d.tar'}} | to",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}} | shards",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {}} | shards.name",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name': 's.tar'}} |"
                        + " shards.name",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar', 'size': '1XB'}} | shards.size",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar', 'size': '512'}} | shards.size",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar', 'samples': 0}} | shards.samples",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar', 'window': 64}} | shards.window",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar', 'shuffle': 7, 'window': 15}} | shards.window",
                "{'kind': 'pack', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar', 'shuffle': 7, 'window': 100001}} | shards.window",
                "{'kind': 'copy', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'other'}, 'shards': {'name':"
                        + " 's-%06d.tar'}} | shards",
                "{'kind': 'download', 'from': {'urls': ['http://h/a']}} | to",
                "{'kind': 'download', 'to': {'bucket': 'bkt'}} | from",
                "{'kind': 'download', 'from': {}, 'to': {'bucket': 'bkt'}} | from",
                "{'kind': 'download', 'from': {'bucket': 'bkt', 'urls': ['http://h/a']}, 'to': {'bucket': 'bkt'}} |"
                        + " from.bucket",
                "{'kind': 'download', 'from': {'prefix': 'p', 'urls': ['http://h/a']}, 'to': {'bucket': 'bkt'}} |"
                        + " from.prefix",
                "{'kind': 'download', 'from': {'glob': '*', 'urls': ['http://h/a']}, 'to': {'bucket': 'bkt'}} |"
                        + " from.glob",
                "{'kind': 'download', 'from': {'keys': ['k']}, 'to': {'bucket': 'bkt'}} | from.keys",
                "{'kind': 'download', 'from': {'urls': []}, 'to': {'bucket': 'bkt'}} | from.urls",
                "{'kind': 'download', 'from': {'urls': [null]}, 'to': {'bucket': 'bkt'}} | from.urls",
                "{'kind': 'download', 'from': {'urls': ['ftp://h/a']}, 'to': {'bucket': 'bkt'}} | from.urls",
                "{'kind': 'download', 'from': {'urls': ['http://h/a', 'http://g/a']}, 'to': {'bucket': 'bkt'}} |"
                        + " from.urls",
                "{'kind': 'download', 'from': {'urls': ['http://h/a', 'http://g/b a']}, 'to': {'bucket': 'bkt'}} |"
                        + " from.urls",
                "{'kind': 'download', 'from': {'urls': ['http://h/']}, 'to': {'bucket': 'bkt'}} | from.urls",
                "{'kind': 'download', 'from': {'urls': ['http://h/a'], 'template': 'http://h/{0..1}'}, 'to': {'bucket':"
                        + " 'bkt'}} | from",
                "{'kind': 'download', 'from': {'template': 'http://h{0..1}/a'}, 'to': {'bucket': 'bkt'}} |"
                        + " from.template",
                "{'kind': 'download', 'from': {'template': 'http://h/a?n={0..1}'}, 'to': {'bucket': 'bkt'}} |"
                        + " from.template",
                "{'kind': 'download', 'from': {'template': 'shard-{0..1}'}, 'to': {'bucket': 'bkt'}} | from.template",
                "{'kind': 'download', 'from': {'manifest': 'lists/m'}, 'to': {'bucket': 'bkt'}} | from.manifest",
            })
    void errorNamesTheField(String request, String field) {
        InvalidJobException refused =
                catchThrowableOfType(InvalidJobException.class, () -> JobTypes.read(JobRequests.of(request), NOW));

        assertThat(refused.field()).isEqualTo(field.strip());
        assertThat(refused.getMessage()).hasSizeGreaterThan(8);
    }

    /** A message names the kinds that have the field, in the order in which the documentation lists them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'from': {'bucket': 'bkt'}} | is missing: write prefetch, copy, pack, download, evict or verify",
                "{'kind': 'fetch'} | is one of prefetch, copy, pack, download, evict, verify",
                "{'kind': 'evict', 'from': {'bucket': 'bkt'}, 'to': {'bucket': 'bkt'}} | is only for copy, pack,"
                        + " download and verify",
                "{'kind': 'evict', 'from': {'bucket': 'bkt'}, 'overwrite': 'always'} | is only for copy and download",
                "{'kind': 'evict', 'from': {'bucket': 'bkt'}, 'range': 'bytes=0-1'} | is only for prefetch",
                "{'kind': 'evict', 'from': {'bucket': 'bkt'}, 'deleteExtra': true} | is only for copy",
                "{'kind': 'evict', 'from': {'bucket': 'bkt', 'urls': []}} | is only for download",
            })
    void errorNamesTheKinds(String request, String message) {
        InvalidJobException refused =
                catchThrowableOfType(InvalidJobException.class, () -> JobTypes.read(JobRequests.of(request), NOW));

        assertThat(refused).hasMessage(message);
    }

    @Test
    void omittedFieldsHaveModestDefaults() {
        JobSpec spec = JobTypes.read(JobRequests.of("{'kind': 'Prefetch', 'from': {'bucket': 'bkt'}}"), NOW);

        assertThat(spec.from().source()).isEqualTo(new Source.Listing(""));
        assertThat(spec.limits())
                .isEqualTo(new JobLimits(
                        16, spec.limits().bandwidth(), spec.limits().requests(), 8));
        assertThat(spec.limits().bandwidth()).isEmpty();
        assertThat(spec.dryRun()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "P7D, 2026-05-13T10:00:00Z",
        "7d, 2026-05-13T10:00:00Z",
        "1w, 2026-05-13T10:00:00Z",
        "12h, 2026-05-19T22:00:00Z",
        "90m, 2026-05-20T08:30:00Z",
        "PT12H, 2026-05-19T22:00:00Z",
        "P1M, 2026-04-20T10:00:00Z",
        "2026-01-31T00:00:00Z, 2026-01-31T00:00:00Z"
    })
    void agesCountFromNow(String text, Instant meant) {
        String request = "{'kind': 'prefetch', 'from': {'bucket': 'bkt', 'newerThan': '%s'}}".formatted(text);

        JobSpec spec = JobTypes.read(JobRequests.of(request), NOW);

        assertThat(spec.from().filter().since()).contains(meant);
    }

    @Test
    void keepAcceptsDays() {
        assertThat(JobTypes.read(JobRequests.of("{'kind': 'prefetch', 'from': {'bucket': 'bkt'}, 'pin': '7d'}"), NOW)
                        .pinnedUntil())
                .contains(NOW.plus(Duration.ofDays(7)));
    }
}
