package io.millrace.backend.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that object stores learn nothing by which requests of others could be refused. */
class GatewayHopsTest {
    private final String first = GatewayHops.newId();
    private final String own = GatewayHops.newId();

    @Test
    void storesKnowTheLastGatewayAloneByAnotherId() {
        GatewayHops sent = GatewayHops.parse(
                Optional.of(GatewayHops.NONE.with(first).with(own).forStores().toHeader()));

        assertThat(sent.ids()).containsExactly(GatewayHops.idForStores(own));
        assertThat(sent.contains(own)).isFalse();
        assertThat(sent.endsWith(GatewayHops.idForStores(own))).isTrue();
        assertThat(GatewayHops.NONE.forStores()).isEqualTo(GatewayHops.NONE);
    }

    /** A gateway that passes a request on stands behind what its client has written. */
    @Test
    void idForStoresCountsForNothingInARequestThatAnotherGatewayPassesOn() {
        String id = GatewayHops.idForStores(own);

        assertThat(GatewayHops.NONE.with(id).with(first).endsWith(id)).isFalse();
        assertThat(GatewayHops.NONE.endsWith(id)).isFalse();
    }
}
