package io.millrace.gateway.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Right;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What everybody may do is written out; a word that is not understood must never mean more. */
class AnonymousRightsTest {
    @Test
    void rightsAreThoseThatAreNamed() {
        assertThat(AnonymousRights.parse("none").rights()).isEmpty();
        assertThat(AnonymousRights.parse("read").rights()).containsExactly(Right.READ);
        assertThat(AnonymousRights.parse(" read , list ").rights()).containsExactlyInAnyOrder(Right.READ, Right.LIST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "write", "delete", "admin", "all", "READ", "read,", "none,read", "read;list"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> AnonymousRights.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
