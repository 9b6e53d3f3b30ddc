package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which states supervisors and load balancers see: a restart or a removal that is not needed is an outage. */
class ServingStateTest {
    @ParameterizedTest
    @CsvSource({
        // started, serving, metadata; state, up, ready
        "false, false, true,  STARTING, false, false",
        "true,  true,  true,  READY, true, true",
        "true,  true,  false, METADATA_STORE_UNAVAILABLE, true, false",
        "true,  false, true,  STOPPING, true, false",
        "true,  false, false, STOPPING, true, false"
    })
    void followsTheDataPlaneAndTheMetadataStore(
            boolean started, boolean serving, boolean metadata, ServingState expected, boolean up, boolean ready) {
        ServingState state = ServingState.of(started, serving, metadata);

        assertThat(state).isEqualTo(expected);
        assertThat(state.isUp()).isEqualTo(up);
        assertThat(state.isReady()).isEqualTo(ready);
    }
}
