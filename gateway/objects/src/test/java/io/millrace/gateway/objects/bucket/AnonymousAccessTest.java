package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.Right;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Anonymous rights are listed explicitly; an unknown word never grants more. */
class AnonymousAccessTest {
    @Test
    void rightsAreThoseThatAreNamed() {
        assertThat(AnonymousAccess.parse("none").rights()).isEmpty();
        assertThat(AnonymousAccess.parse("read").rights()).containsExactly(Right.READ);
        assertThat(AnonymousAccess.parse(" read , list ").rights()).containsExactlyInAnyOrder(Right.READ, Right.LIST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "write", "delete", "admin", "all", "READ", "read,", "none,read", "read;list"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> AnonymousAccess.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
