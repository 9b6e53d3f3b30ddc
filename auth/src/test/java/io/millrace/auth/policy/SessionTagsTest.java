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

    /** The value of a tag is no pattern, whatever is in it. */
    @ParameterizedTest
    @CsvSource({
        "red, data/red/key, true",
        "red, data/blue/key, false",
        "*, data/red/key, false",
        "*, data/*/key, true",
        "'', data/red/key, false"
    })
    void tagNamesAPartOfAResource(String team, String resource, boolean allowed) throws Exception {
        PolicyStatement own = resource("Allow", "'Resource': 'arn:aws:s3:::data/${aws:PrincipalTag/TEAM}/*'");
        Optional<ObjectKey> key = Optional.of(new ObjectKey(resource.substring("data/".length())));
        assertThat(new Authorizer(bucket -> BucketPolicy.NONE)
                        .decide(
                                session(Map.of("team", team), own),
                                PolicyAction.GET_OBJECT,
                                AccessScope.resource(BUCKET, key))
                        .isAllowed())
                .isEqualTo(allowed);
    }

    @Test
    void statementWithATagThatIsMissingAllowsNothing() throws Exception {
        PolicyStatement own = resource("Allow", "'Resource': 'arn:aws:s3:::data/${aws:PrincipalTag/cost}*'");
        PolicyStatement others = resource("Allow", "'NotResource': 'arn:aws:s3:::data/${aws:PrincipalTag/cost}*'");
        PolicyStatement all = resource("Allow", "'Resource': '*'");
        PolicyStatement denial = resource("Deny", "'NotResource': 'arn:aws:s3:::data/${aws:PrincipalTag/cost}*'");
        assertThat(allows(session(own))).isFalse();
        assertThat(allows(session(others))).isFalse();
        assertThat(allows(session(all))).isTrue();
        assertThat(allows(session(all, denial))).isFalse();
    }

    @Test
    void bucketPolicyHasThemToo() throws Exception {
        PolicyStatement denial = PolicyReader.parse(
                        ("{'Version':'2012-10-17','Statement':{'Effect':'Deny','Principal':'*','Action':'*',"
                                        + "'NotResource':'arn:aws:s3:::data/${aws:PrincipalTag/team}/*'}}")
                                .replace('\'', '"')
                                .getBytes(StandardCharsets.UTF_8),
                        "test.json",
                        true)
                .get(0);
        Authorizer authorizer = new Authorizer(bucket -> new BucketPolicy(List.of(denial)));
        Principal red = session(resource("Allow", "'Resource': '*'"));
        assertThat(authorizer
                        .decide(red, PolicyAction.GET_OBJECT, AccessScope.object(BUCKET, new ObjectKey("red/key")))
                        .isAllowed())
                .isTrue();
        assertThat(authorizer
                        .decide(red, PolicyAction.GET_OBJECT, AccessScope.object(BUCKET, new ObjectKey("blue/key")))
                        .isAllowed())
                .isFalse();
    }

    @Test
    void policyKnowsTheTagsItWrites() throws Exception {
        PolicyStatement statement = resource("Allow", "'Resource': 'arn:aws:s3:::data/${aws:PrincipalTag/team}/*'");
        assertThat(new IdentityPolicy(List.of(statement)).tags()).containsExactly("team");
    }

    @Test
    void policyKnowsTheTagsItCompares() throws Exception {
        PolicyStatement statement =
                statement("Deny", "'StringEquals': { 'aws:PrincipalTag/b': 'x', 'aws:PrincipalTag/a': 'x' }");
        assertThat(new IdentityPolicy(List.of(statement)).tags()).containsExactly("a", "b");
    }

    private static Principal session(PolicyStatement... statements) {
        return session(Map.of("Team", "red"), statements);
    }

    private static Principal session(Map<String, String> tags, PolicyStatement... statements) {
        IdentityPolicy policy = new IdentityPolicy(List.of(statements));
        return Principal.ofSession("reader", "pod", tags, List.of(), List.of(policy));
    }

    private static boolean allows(Principal who) {
        return new Authorizer(bucket -> BucketPolicy.NONE)
                .decide(who, PolicyAction.GET_OBJECT, AccessScope.resource(BUCKET, KEY))
                .isAllowed();
    }

    private static PolicyStatement statement(String effect, String condition) throws Exception {
        return resource(effect, "'Resource': '*', 'Condition': { %s }".formatted(condition));
    }

    private static PolicyStatement resource(String effect, String elements) throws Exception {
        String json = "{ 'Version': '2012-10-17', 'Statement': { 'Effect': '%s', 'Action': 's3:*', %s } }"
                .formatted(effect, elements)
                .replace('\'', '"');
        return PolicyReader.parse(json.getBytes(StandardCharsets.UTF_8), "test.json", false)
                .get(0);
    }
}
