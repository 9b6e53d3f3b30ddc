package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which states supervisors and load balancers see: a restart or a removal that is not needed is an outage. */
class ServingStateTest {
    @ParameterizedTest
    @CsvSource({
        // started, serving, metadata, confirmed; state, up, ready
        "false, false, true,  true,  STARTING, false, false",
        "true,  true,  true,  true,  READY, true, true",
        "true,  true,  false, true,  METADATA_STORE_UNAVAILABLE, true, false",
        "true,  true,  true,  false, CLUSTER_UNCONFIRMED, true, false",
        "true,  true,  false, false, METADATA_STORE_UNAVAILABLE, true, false",
        "true,  false, true,  true,  STOPPING, true, false",
        "true,  false, false, false, STOPPING, true, false"
    })
    void followsTheDataPlaneTheMetadataStoreAndTheCluster(
            boolean started,
            boolean serving,
            boolean metadata,
            boolean confirmed,
            ServingState expected,
            boolean up,
            boolean ready) {
        ServingState state = ServingState.of(started, serving, metadata, confirmed);

        assertThat(state).isEqualTo(expected);
        assertThat(state.isUp()).isEqualTo(up);
        assertThat(state.isReady()).isEqualTo(ready);
    }
}
