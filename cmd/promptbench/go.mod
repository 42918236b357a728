module github.com/seed33527553/promptc/cmd/promptbench

go 1.26.8

replace github.com/seed33527553/promptc => ../..

require (
	github.com/seed33527553/promptc v0.0.0
	gopkg.in/yaml.v3 v3.0.1
)

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	golang.org/x/mod v0.42.0 // indirect
)
