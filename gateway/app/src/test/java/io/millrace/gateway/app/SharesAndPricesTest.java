package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.objects.bucket.PriceSettings;
import io.millrace.gateway.objects.bucket.ResidencyGroupFactory;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that contradictory quotas, prefixes and prices are refused, and that valid ones apply to the right bucket. */
class SharesAndPricesTest {
    private static final String FILE = """
            cache: { disks: [ { path: target/cache, size: 1GiB } ] }
            backends: { local: { type: file, path: target/objects }, far: { type: file, path: target/far } }
            identities: [ { name: admin, access-key: A, secret-key: S, allow: "*" } ]
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "buckets: [ { name: '*', backend: local, quota: 25% } ]|stands for any number of buckets",
                "buckets: [ { name: 'a*', backend: local, tracked-prefixes: x/ } ]|stands for any number of buckets",
                "buckets: [ { name: abc, backend: local, quota: 120% } ]|is no quota",
                "buckets: [ { name: abc, backend: local, quota: some } ]|is not a size",
                "buckets: [ { name: abc, backend: local, quota: 50 } ]|buckets[0].quota: 50",
                "buckets: [ { name: abc, backend: local, quota: 65535KiB } ]|write 64MiB or more",
                "buckets: [ { name: abc, backend: local }, { name: abc, backend: far } ]|buckets[1].name: abc",
                "buckets: [ { name: 'a*', backend: local }, { name: 'a*', backend: far } ]|buckets[1].name: a*",
                "buckets: [ { name: abc, backend: local, prices: { egress-per-gb: -1 } }"
                        + " ]|buckets[0].prices.egress-per-gb: -1",
                "{ buckets: [ { name: abc, backend: local } ], prices: { other: { egress-per-gb: 1 } } }|is not a"
                        + " backend",
                "buckets: [ { name: abc, backend: local, quota: 5% }, { name: def, bucket: abc, backend: local, quota:"
                        + " 6% } ]|differs from that",
                "buckets: [ { name: abc, backend: local, forward-unknown: [ renameObject ] } ]|is known to Millrace",
                "buckets: [ { name: abc, backend: local, forward-unknown: [ x-amz-meta-a ] } ]|is known to Millrace",
                "buckets: [ { name: abc, backend: local, forward-unknown: [ X-Amz-Acl ] } ]|is known to Millrace",
                "buckets: [ { name: abc, backend: local, forward-unknown: [ versionId ] } ]|is known to Millrace",
                "buckets: [ { name: abc, backend: local, forward-unknown: [ x-amz-copy-source ] } ]|is known to"
                        + " Millrace",
                "buckets: [ { name: abc, backend: local, prices: { egress-per-gb: 1 } }, { name: def, bucket: abc,"
                        + " backend: local, prices: { egress-per-gb: 2 } } ]|differ from those"
            })
    void refusesContradictingSettings(String rest, String problem) {
        String more =
                rest.startsWith("{") ? rest.substring(2, rest.length() - 2).replace("], prices", "]\nprices") : rest;
        assertThatThrownBy(() -> settings(more))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void countedIsWhereBucketsReallyLive() throws Exception {
        MillraceSettings settings = settings("""
                buckets:
                - { name: one, backend: local, bucket: real, prefix: in/, quota: 10GiB, tracked-prefixes: [ a/, b/ ] }
                - { name: same, backend: local, bucket: real, prefix: in/, tracked-prefixes: a/ }
                - { name: "*", backend: far }
                """);

        assertThat(ResidencyGroupFactory.of(settings.buckets()))
                .containsExactly(
                        new ResidencyGroup(prefix("in/"), Optional.of(QuotaSize.parse("10GiB"))),
                        ResidencyGroup.of(prefix("in/a/")),
                        ResidencyGroup.of(prefix("in/b/")));
    }

    @Test
    void bucketPricesOverrideBackendPrices() throws Exception {
        MillraceSettings settings = settings("""
                buckets:
                - { name: one, backend: local, bucket: real, prices: { egress-per-gb: 3 } }
                - { name: "*", backend: local }
                prices: { local: { egress-per-gb: 1, per-thousand-requests: 2 } }
                """);

        assertThat(settings.pricesOf("local", new BucketName("real"))).contains(new PriceSettings(3, 0));
        assertThat(settings.pricesOf("local", new BucketName("one"))).contains(new PriceSettings(1, 2));
        assertThat(settings.pricesOf("far", new BucketName("real"))).isEmpty();
    }

    @Test
    void pricesAreOfWhoeverShowsTheBucket() throws Exception {
        MillraceSettings settings = settings("""
                buckets:
                - { name: own, backend: local }
                - { name: part, backend: local, bucket: real, prefix: a/ }
                - { name: rest, backend: local, bucket: real, prefix: b/, prices: { egress-per-gb: 3 } }
                - { name: taken, backend: far }
                - { name: "*", backend: local, prices: { egress-per-gb: 9 } }
                prices: { local: { egress-per-gb: 1 } }
                """);

        assertThat(settings.pricesOf("local", new BucketName("own"))).contains(new PriceSettings(1, 0));
        assertThat(settings.pricesOf("local", new BucketName("real"))).contains(new PriceSettings(3, 0));
        assertThat(settings.pricesOf("local", new BucketName("taken"))).contains(new PriceSettings(1, 0));
        assertThat(settings.pricesOf("local", new BucketName("any"))).contains(new PriceSettings(9, 0));
    }

    private static ObjectPrefix prefix(String prefix) {
        return new ObjectPrefix("local", new BucketName("real"), prefix);
    }

    private static MillraceSettings settings(String more) throws SettingsException {
        return SettingsLoader.ofText(FILE + more, Map.of()).settings();
    }
}
