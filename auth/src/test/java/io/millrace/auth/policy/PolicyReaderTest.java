package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.config.problem.InvalidValueException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what a policy may have. An element that is read and then ignored could be a limit, so all else is refused, with
 * its place and what to write.
 */
class PolicyReaderTest {
    private static final String STATEMENT = "'Effect': 'Allow', 'Action': 's3:GetObject', 'Resource': '*'";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                STATEMENT,
                "'Sid': 'A b', " + STATEMENT,
                "'Effect': 'Deny', 'NotAction': ['s3:Get*', 'S3:LISTBUCKET'], 'NotResource': ['arn:aws:s3:::b',"
                        + " 'arn:aws:s3:::b/*']",
                "'Effect': 'Allow', 'Action': '*', 'Resource': 'arn:aws:s3:::home-${aws:username}/${aws:USERNAME}/*'",
                STATEMENT + ", 'Condition': {}",
                STATEMENT + ", 'Condition': { 'StringLike': { 's3:prefix': ['a/*', '${aws:username}/*'] } }",
                STATEMENT + ", 'Condition': { 'Bool': { 'aws:securetransport': true } }",
                STATEMENT
                        + ", 'Condition': { 'IpAddressIfExists': { 'aws:SourceIp': ['10.0.0.0/8', '2001:db8::/32',"
                        + " '::1'] } }",
                STATEMENT
                        + ", 'Condition': { 'DateLessThan': { 'aws:CurrentTime': ['2026-12-31',"
                        + " '2026-12-31T00:00:00+01:00', 1798675200] } }",
                STATEMENT + ", 'Condition': { 'NumericLessThanEquals': { 's3:max-keys': 10 } }",
                STATEMENT + ", 'Condition': { 'StringLike': { 'aws:PrincipalTag/team': 'a*' } }",
                STATEMENT + ", 'Condition': { 'Null': { 's3:VersionId': 'true' } }"
            })
    void readsPoliciesAsAmazonHasThem(String statement) {
        assertThatCode(() -> read("{ 'Version': '2012-10-17', 'Id': 'x', 'Statement': { " + statement + " } }"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'Effect': 'allow', 'Action': '*', 'Resource': '*' | Statement[0].Effect: is \"allow\" | Allow or Deny",
                "'Action': '*', 'Resource': '*' | Statement[0]: has no Effect | add it",
                "'Effect': 'Allow', 'Resource': '*' | has no Action | add it",
                "'Effect': 'Allow', 'Action': [], 'Resource': '*' | Statement[0].Action: is empty | at least one",
                "'Effect': 'Allow', 'Action': 's3:GetObjct', 'Resource': '*' | has \"s3:GetObjct\" | write"
                        + " s3:GetObject",
                "'Effect': 'Allow', 'Action': 'kms:Decrypt', 'Resource': '*' | no action that Millrace has | leave it"
                        + " out",
                "'Effect': 'Allow', 'Action': 's3:*', 'NotAction': 's3:*', 'Resource': '*' | NotAction: stands beside"
                        + " Action | one of the two",
                "'Effect': 'Deny', 'NotAction': '*', 'Resource': '*' | leaves no action | use Action",
                "'Effect': 'Allow', 'Action': '*' | has no Resource | add it",
                "'Effect': 'Allow', 'Action': '*', 'Resource': 'bucket/*' | has \"bucket/*\" | arn:aws:s3:::BUCKET",
                "'Effect': 'Allow', 'Action': '*', 'Resource': 'arn:aws:s3:::' | no bucket or object |"
                        + " arn:aws:s3:::BUCKET",
                "'Effect': 'Allow', 'Action': '*', 'Resource': 'arn:aws:s3:::${aws:userid}/*' | ${aws:userid}, which is"
                        + " not supported | ${aws:username}",
                "'Effect': 'Allow', 'Action': '*', 'Resource': 'arn:aws:s3:::${aws:username' | variable without end |"
                        + " close it",
                "'Effect': 'Allow', 'Action': '*', 'Resource': 7 | Resource: is not a string | in quotes",
                "'Effect': 'Allow', 'Action': '*', 'Resource': '*', 'Principal': '*' | Principal: belongs into the"
                        + " policy of a bucket | leave it out",
                "'Effect': 'Allow', 'Action': '*', 'Resource': '*', 'Conditon': {} | is not an element | write"
                        + " Condition",
                "STATEMENT, 'Sid': '' | Sid: is no id | 1 to 128",
                "STATEMENT, 'Condition': [] | Condition: is not an object | operators",
                "STATEMENT, 'Condition': { 'StringLike': {} } | StringLike: compares nothing | a key with values",
                "STATEMENT, 'Condition': { 'StringLike': 'a' } | StringLike: is not an object | keys with values",
                "STATEMENT, 'Condition': { 'StringLike': { 's3:prefix': [] } } | prefix: is empty | at least one",
                "STATEMENT, 'Condition': { 'StringLik': { 's3:prefix': 'a' } } | is no operator | write StringLike",
                "STATEMENT, 'Condition': { 'ArnLike': { 'aws:SourceArn': 'a' } } | is no operator | StringLike",
                "STATEMENT, 'Condition': { 'ForAllValues:StringLike': { 's3:prefix': 'a' } } | no key here has several"
                        + " | write StringLike",
                "STATEMENT, 'Condition': { 'NullIfExists': { 's3:prefix': 'true' } } | cannot be | write Null",
                "STATEMENT, 'Condition': { 'StringEquals': { 'aws:RequestTag/team': 'a' } } | is no key | s3:prefix",
                "STATEMENT, 'Condition': { 'StringEquals': { 'aws:SourceIP': '10.0.0.1' } } | cannot be compared so |"
                        + " address",
                "STATEMENT, 'Condition': { 'IpAddress': { 'aws:SourceIp': '10.0.0.0/33' } } | has the value"
                        + " \"10.0.0.0/33\" | 10.0.0.0/8",
                "STATEMENT, 'Condition': { 'IpAddress': { 'aws:SourceIp': 'example.org' } } | IpAddress cannot compare"
                        + " | 10.0.0.0/8",
                "STATEMENT, 'Condition': { 'Bool': { 'aws:SecureTransport': 'yes' } } | Bool cannot compare | true or"
                        + " false",
                "STATEMENT, 'Condition': { 'DateLessThan': { 'aws:CurrentTime': 'tomorrow' } } | DateLessThan cannot"
                        + " compare | 2026-12-31",
                "STATEMENT, 'Condition': { 'StringLike': { 's3:prefix': 'a', 's3:Prefix': 'b' } } | is there twice |"
                        + " once",
                "STATEMENT, 'Condition': { 'StringLike': { 's3:prefix': null } } | is not a value | a text",
                "STATEMENT, 'Effect': 'Deny' | line 3: is not valid JSON | no object may have a name twice"
            })
    void refusesAllElseWithPlaceAndRemedy(String statement, String problem, String remedy) {
        String json = "{ 'Version': '2012-10-17',\n'Statement': [\n{ %s } ] }"
                .formatted(statement.replace("STATEMENT", STATEMENT));

        InvalidValueException refusal = catchThrowableOfType(InvalidValueException.class, () -> read(json));

        assertThat(refusal.description()).startsWith("line 3").contains(problem);
        assertThat(refusal.remedy()).contains(remedy);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'' | is not an object",
                "[] | is not an object",
                "{} | is not of version 2012-10-17",
                "{ 'Version': '2008-10-17', 'Statement': [] } | Version: is not of version 2012-10-17",
                "{ 'Version': '2012-10-17' } | has no Statement",
                "{ 'Version': '2012-10-17', 'Statement': [] } | Statement: is no statement",
                "{ 'Version': '2012-10-17', 'Statement': [ 1 ] } | Statement[0]: is not an object",
                "{ 'Version': '2012-10-17', 'Statements': [] } | is not an element",
                "{ 'Version': '2012-10-17', 'Statement': { ALLOW } } { } | text follows the policy",
                "{ 'Version': '2012-10-17', 'Version': '2012-10-17', 'Statement': { ALLOW } } | is not valid JSON",
                "{ 'Version': '2012-10-17', 'Statement': [ { 'Sid': 'a', ALLOW }, { 'Sid': 'a', ALLOW } ] } | id of an"
                        + " earlier statement",
                "[[[[[[[[[[[[ | is not valid JSON"
            })
    void refusesDocumentsThatAreNoPolicy(String json, String problem) {
        assertThat(catchThrowableOfType(InvalidValueException.class, () -> read(json.replace("ALLOW", STATEMENT)))
                        .description())
                .contains(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "STATEMENT | has no Principal",
                "STATEMENT, 'Principal': 'trainer' | Principal: is \"trainer\"",
                "STATEMENT, 'Principal': { 'AWS': 'trainer' } | has the principal \"trainer\"",
                "STATEMENT, 'Principal': { 'AWS': 'arn:aws:iam::123456789012:user/trainer' } | which is no identity",
                "STATEMENT, 'Principal': { 'AWS': 'arn:aws:iam::000000000000:user/*' } | which is no identity",
                "STATEMENT, 'Principal': { 'Federated': 'x' } | is not an element",
                "STATEMENT, 'Principal': {} | has no AWS",
                "STATEMENT, 'NotPrincipal': '*' | NotPrincipal: is not supported"
            })
    void refusesPrincipalsThatAreNoIdentities(String statement, String problem) {
        String json =
                "{ 'Version': '2012-10-17', 'Statement': { %s } }".formatted(statement.replace("STATEMENT", STATEMENT));

        assertThat(catchThrowableOfType(
                                InvalidValueException.class, () -> PolicyReader.parse(bytes(json), "bucket.json", true))
                        .description())
                .contains(problem);
    }

    @Test
    void refusesFilesThatCannotBeRead() throws IOException {
        Path large = Files.writeString(folder.resolve("large.json"), " ".repeat(PolicyNode.LARGEST + 1));

        assertThat(refusal(large)).contains("larger than 20 KiB");
        assertThat(refusal(folder)).contains("is not a plain file");
        assertThat(refusal(folder.resolve("none.json"))).contains("no such file");
        assertThat(refusal(Files.writeString(folder.resolve("empty.json"), ""))).contains("empty");
    }

    @Test
    void namesStatementsByFileAndId() throws Exception {
        Path file = Files.writeString(
                folder.resolve("trainer.json"),
                "{ 'Version': '2012-10-17', 'Statement': [ { %1$s }, { 'Sid': 'Second', %1$s } ] }"
                        .formatted(STATEMENT)
                        .replace('\'', '"'));

        assertThat(IdentityPolicy.read(file).statements())
                .extracting(PolicyStatement::name)
                .containsExactly("trainer.json, statement 1", "trainer.json, statement 2 (Second)");
    }

    private static String refusal(Path file) {
        return catchThrowableOfType(InvalidValueException.class, () -> IdentityPolicy.read(file))
                .description();
    }

    private static void read(String json) throws InvalidValueException {
        PolicyReader.parse(bytes(json), "policy.json", false);
    }

    private static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }
}
