package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.observe.TrafficByName.NamedTraffic;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the counts of requests by bucket, whose number is bounded whatever clients ask for. */
class TrafficByNameTest {
    private final TrafficByName traffic = TrafficByName.ofBuckets(List.of("named"));

    @Test
    void countsWhatABucketServed() {
        traffic.ended(request("named", true, 200));
        traffic.ended(request("named", true, 404));

        assertThat(traffic.counted()).hasSize(1);
        NamedTraffic named = traffic.counted().get(0);
        assertThat(named.outcomes()).isEqualTo(Map.of("ok", 1L, "client_error", 1L));
        assertThat(named.results()).containsEntry("hit", 2L).containsEntry("miss", 0L);
        assertThat(named.bytesOut()).isEqualTo(10);
        assertThat(named.firstByteSeconds()).isEqualTo(0.004);
        assertThat(named.firstBytes().get(named.bounds().indexOf(0.0025))).isEqualTo(2);
        assertThat(named.firstBytes().stream().mapToLong(Long::longValue).sum()).isEqualTo(2);
    }

    @Test
    void deniedRequestsAndMissingBucketsGetNoNameOfTheirOwn() {
        traffic.ended(request("secret", false, 403));
        traffic.ended(request("missing", true, 404));

        assertThat(traffic.counted()).extracting(NamedTraffic::name).containsExactly("named", TrafficByName.OTHERS);
        assertThat(traffic.counted().get(1).outcomes()).isEqualTo(Map.of("client_error", 1L));
    }

    /** A restart may meet a backend that is down: then nothing of its buckets has been served yet. */
    @Test
    void outageNamesABucketToAuthenticatedClientsOnly() {
        traffic.ended(failure("down", 503).build());
        traffic.ended(failure("invented", 501).build());
        traffic.ended(failure("mistyped", 400).build());
        traffic.ended(failure("unsigned", 503).by("anonymous").build());

        assertThat(traffic.counted())
                .extracting(NamedTraffic::name)
                .containsExactly("down", "named", TrafficByName.OTHERS);
    }

    @Test
    void theBusiestNamesComeFirstAndIdleOnesNotAtAll() {
        traffic.ended(request("some", true, 200));
        traffic.ended(request("most", true, 200));
        traffic.ended(request("most", true, 404));

        assertThat(traffic.busiest()).containsExactly("most", "some");
    }

    @Test
    void namesBeyondTheMostShareOne() {
        for (int i = 0; i < 2 * TrafficByName.MOST; i++) {
            traffic.ended(request("bucket-" + i, true, 200));
        }

        List<NamedTraffic> counted = traffic.counted();
        assertThat(counted).hasSize(TrafficByName.MOST + 1);
        assertThat(counted.get(TrafficByName.MOST).name()).isEqualTo(TrafficByName.OTHERS);
        assertThat(counted.get(TrafficByName.MOST).outcomes()).isEqualTo(Map.of("ok", TrafficByName.MOST + 1L));
    }

    @Test
    void sessionsAreCountedByWhoIsAccountable() {
        TrafficByName identities = TrafficByName.ofIdentities();
        for (int i = 0; i < 2 * TrafficByName.MOST; i++) {
            identities.ended(
                    new RecordedGet().by("session " + i).accountable("owner").build());
        }
        identities.ended(new RecordedGet().by("other").build());

        assertThat(identities.counted()).extracting(NamedTraffic::name).containsExactly("other", "owner");
    }

    private static RecordedGet failure(String bucket, int status) {
        return new RecordedGet()
                .ended(status, OutcomeCategory.ofStatus(status))
                .bucket(Optional.of(new BucketName(bucket)));
    }

    private static RequestRecord request(String bucket, boolean admitted, int status) {
        return new RecordedGet()
                .admitted(admitted)
                .ended(status, OutcomeCategory.ofStatus(status))
                .took(2_000_000, 3_000_000)
                .sent(5)
                .cache(Optional.of(CacheResult.HIT))
                .bucket(Optional.of(new BucketName(bucket)))
                .build();
    }
}
