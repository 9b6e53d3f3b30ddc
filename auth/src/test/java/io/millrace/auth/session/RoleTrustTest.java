package io.millrace.auth.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.AllowRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests whose tokens may assume a role, by subject and claims, and which claims become tags. */
class RoleTrustTest {
    private static final String ISSUER = "https://login.example.org";

    @Test
    void subjectAndAllClaimsMustMatch() {
        RoleSettings both = role(List.of("pod:*"), Map.of("groups", List.of("ml-*", "admins"), "env", List.of("prod")));
        assertThat(both.trusts(token("pod:1", Map.of("groups", List.of("all", "ml-team"), "env", List.of("prod")))))
                .isTrue();
        assertThat(both.trusts(token("job:1", Map.of("groups", List.of("ml-team"), "env", List.of("prod")))))
                .isFalse();
        assertThat(both.trusts(token("pod:1", Map.of("groups", List.of("all"), "env", List.of("prod")))))
                .isFalse();
        assertThat(both.trusts(token("pod:1", Map.of("groups", List.of("ml-team")))))
                .isFalse();
    }

    @Test
    void roleWithoutSubjectsNeedsItsClaims() {
        Map<String, List<String>> team = Map.of("groups", List.of("ml-team"));
        assertThat(role(List.of(), team).trusts(token("anyone", team))).isTrue();
        assertThat(role(List.of(), team).trusts(token("anyone", Map.of()))).isFalse();
        assertThat(role(List.of(), team)
                        .trusts(new WebIdentity("https://other.example.org", "anyone", "millrace", team)))
                .isFalse();
        assertThat(role(List.of(), Map.of()).trusts(token("anyone", team))).isFalse();
    }

    @Test
    void tagsAreClaimsOfOneValue() {
        RoleSettings role = role(List.of("*"), Map.of());
        assertThat(role.tagsOf(token("pod", Map.of("team", List.of("red"), "other", List.of("x")))))
                .containsExactly(Map.entry("team", "red"));
        assertThat(role.tagsOf(token("pod", Map.of()))).isEmpty();
        assertThatThrownBy(() -> role.tagsOf(token("pod", Map.of("team", List.of("red", "blue")))))
                .hasMessageContaining("claim team must have one value");
        assertThatThrownBy(() -> role.tagsOf(token("pod", Map.of("team", List.of("r".repeat(257))))))
                .hasMessageContaining("256");
    }

    private static WebIdentity token(String subject, Map<String, List<String>> claims) {
        return new WebIdentity(ISSUER, subject, "millrace", claims);
    }

    private static RoleSettings role(List<String> subjects, Map<String, List<String>> claims) {
        return new RoleSettings(
                "trainer",
                Optional.of(ISSUER),
                subjects,
                claims,
                List.of(),
                List.of("team"),
                List.of(AllowRule.parse("read:*")),
                List.of(),
                Duration.ofHours(1));
    }
}
