package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests conditions of policies on the tags of a session, with the session's tag Team of the value red. */
class SessionTagsTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final Optional<ObjectKey> KEY = Optional.of(new ObjectKey("key"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'StringEquals': { 'aws:PrincipalTag/Team': 'red' } | true",
                "'StringEquals': { 'AWS:principaltag/team': [ 'blue', 'red' ] } | true",
                "'StringEquals': { 'aws:PrincipalTag/team': 'RED' } | false",
                "'StringLike': { 'aws:PrincipalTag/team': 'r*' } | true",
                "'StringNotEquals': { 'aws:PrincipalTag/team': 'red' } | false",
                "'StringEquals': { 'aws:PrincipalTag/cost': 'red' } | false",
                "'StringNotEquals': { 'aws:PrincipalTag/cost': 'red' } | true",
                "'StringEqualsIfExists': { 'aws:PrincipalTag/cost': 'red' } | true",
                "'Null': { 'aws:PrincipalTag/cost': 'true' } | true",
                "'Null': { 'aws:PrincipalTag/team': 'true' } | false",
                "'StringEquals': { 'aws:PrincipalTag/team': 'red', 'aws:PrincipalTag/cost': 'red' } | false",
            })
    void conditionComparesTags(String condition, boolean holds) throws Exception {
        assertThat(allows(session(statement("Allow", condition)))).isEqualTo(holds);
        PolicyStatement all = statement("Allow", "'Bool': { 'aws:SecureTransport': [ 'true', 'false' ] }");
        assertThat(allows(session(all, statement("Deny", condition)))).isNotEqualTo(holds);
    }

    @Test
    void sessionPolicyComparesThemToo() throws Exception {
        PolicyStatement all = statement("Allow", "'StringEquals': { 'aws:PrincipalTag/team': 'red' }");
        IdentityPolicy other =
                new IdentityPolicy(List.of(statement("Allow", "'StringEquals': { 'aws:PrincipalTag/team': 'blue' }")));
        assertThat(allows(session(all).limitedTo(new IdentityPolicy(List.of(all)))))
                .isTrue();
        assertThat(allows(session(all).limitedTo(other))).isFalse();
    }

    @Test
    void policyKnowsTheTagsItCompares() throws Exception {
        PolicyStatement statement =
                statement("Deny", "'StringEquals': { 'aws:PrincipalTag/b': 'x', 'aws:PrincipalTag/a': 'x' }");
        assertThat(new IdentityPolicy(List.of(statement)).tags()).containsExactly("a", "b");
    }

    private static Principal session(PolicyStatement... statements) {
        IdentityPolicy policy = new IdentityPolicy(List.of(statements));
        return Principal.ofSession("reader", "pod", List.of(), List.of(policy)).tagged(Map.of("Team", "red"));
    }

    private static boolean allows(Principal who) {
        return new Authorizer(bucket -> BucketPolicy.NONE).allows(who, PolicyAction.GET_OBJECT, BUCKET, KEY);
    }

    private static PolicyStatement statement(String effect, String condition) throws Exception {
        String json =
                "{ 'Version': '2012-10-17', 'Statement': { 'Effect': '%s', 'Action': 's3:*', 'Resource': '*', 'Condition': { %s } } }"
                        .formatted(effect, condition)
                        .replace('\'', '"');
        return PolicyReader.parse(json.getBytes(StandardCharsets.UTF_8), "test.json", false)
                .get(0);
    }
}
