/** The matching under allow rules: patterns of names, and what a pattern covers as a whole. It knows no rights. */
@NullMarked
package io.millrace.auth.policy;

import org.jspecify.annotations.NullMarked;
