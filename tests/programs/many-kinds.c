#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
_Atomic long counter;
double f(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * a[i]; return sqrt(s); }
int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(int n, char **v) { int a[10]; for (int i = 0; i < 10; i++) a[i] = i * n % 7; qsort(a, 10, 4, compare); counter++; double d[2] = {n, 3}; printf("%f %s %d\n", f(d, 2), v[0], a[3]); switch (n) { case 1: puts("a"); break; case 2: puts("b"); break; case 3: abort(); case 4: exit(3); case 5: return 9; } return strlen(v[0]); }
